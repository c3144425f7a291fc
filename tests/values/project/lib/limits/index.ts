export * from "./numbers";
export { default as SLOW_MS } from "./numbers";
export const LIMITS = { read: 2_000, write: 6_000 } as const;
