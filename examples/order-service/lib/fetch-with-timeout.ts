/** Supabase did not answer within the limit that the client was built with. */
export class SupabaseTimeoutError extends Error {
  constructor(limitMs: number, cause: unknown) {
    super(`Supabase did not answer within ${limitMs} ms`, { cause });
    this.name = "SupabaseTimeoutError";
  }
}

/**
 * A `fetch` that gives up after `limitMs`. The signal stays armed until the body is read, so a
 * server that sends its headers and then stalls does not hold the request either.
 */
export function fetchWithTimeout(limitMs: number): typeof fetch {
  return async (input, init) => {
    const timeout = AbortSignal.timeout(limitMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      return await fetch(input, { ...init, signal });
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") {
        throw new SupabaseTimeoutError(limitMs, error);
      }
      throw error;
    }
  };
}
