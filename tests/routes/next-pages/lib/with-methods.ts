export function withMethods(handlers) {
  return async (req, res) => {
    const handler = handlers[req.method];
    if (!handler) return res.status(405).end();
    return await handler(req, res);
  };
}
