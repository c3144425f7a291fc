export const SECOND = 1_000;
export const READ_MS = 5 * SECOND;
export default 7 * SECOND;
