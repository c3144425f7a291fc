/** One call of another service, ended after `ms`. */
export const call = (path: string, ms: number) =>
  fetch(`https://api.example.org${path}`, { signal: AbortSignal.timeout(ms) });
