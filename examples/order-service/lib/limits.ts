/** A limit of the deployment, in milliseconds: the environment's value, else the default. */
function milliseconds(override: string | undefined, defaultMs: number): number {
  const value = Number(override ?? defaultMs);
  if (!(value > 0)) {
    throw new Error(`A timeout must be a positive number of milliseconds, not "${override}"`);
  }
  return value;
}

/** How long one request to Supabase may take, its body included, by what it does. */
export const SUPABASE_TIMEOUT_MS = {
  read: milliseconds(process.env.SUPABASE_TIMEOUT_MS_READ, 5_000),
  write: milliseconds(process.env.SUPABASE_TIMEOUT_MS_WRITE, 10_000),
  auth: milliseconds(process.env.SUPABASE_TIMEOUT_MS_AUTH, 4_000),
};

/** How long a route waits for a step, however many requests the step sends. */
export const AUTH_DEADLINE_MS = 4_000;
export const LOOKUP_DEADLINE_MS = 8_000;

/** How long the browser waits for the answer to an order. */
export const SUBMIT_PATIENCE_MS = 8_000;
