/** Hands what an asynchronous handler throws to the next one. */
export const caught = (handler) => (req, res, next) => {
  Promise.resolve(handler(req, res, next)).catch(next);
};
