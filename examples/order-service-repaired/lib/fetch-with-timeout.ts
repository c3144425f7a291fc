/**
 * Supabase could not be asked, or did not answer in time.
 *
 * postgrest-js sends a read again after every error but an aborted one, and it goes by this code.
 * Here one attempt is all that a request may cost, so whatever went wrong says "aborted".
 */
export class SupabaseUnavailableError extends Error {
  readonly code = "ABORT_ERR";

  constructor(reason: string, cause?: unknown) {
    super(`Supabase is not available: ${reason}`, { cause });
    this.name = "SupabaseUnavailableError";
  }
}

/** The gateway in front of the database answered in its place. */
function isGatewayFailure(status: number): boolean {
  return (status >= 502 && status <= 504) || (status >= 520 && status <= 527);
}

/**
 * A `fetch` that gives up after `limitMs`. The signal stays armed until the body is read, so a
 * server that sends its headers and then stalls does not hold the request either.
 */
export function fetchWithTimeout(limitMs: number): typeof fetch {
  return async (input, init) => {
    const timeout = AbortSignal.timeout(limitMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal });
    } catch (error) {
      throw new SupabaseUnavailableError(`no answer within ${limitMs} ms`, error);
    }
    if (isGatewayFailure(response.status)) {
      throw new SupabaseUnavailableError(`status ${response.status}`);
    }
    return response;
  };
}
