export const call = (path: string, ms: number) =>
  fetch(`https://api.example.org${path}`, { signal: AbortSignal.timeout(ms) });
