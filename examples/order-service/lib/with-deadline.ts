/** A step of a route took longer than the route waits for it. */
export class DeadlineError extends Error {
  constructor(step: string, limitMs: number) {
    super(`${step} took longer than ${limitMs} ms`);
    this.name = "DeadlineError";
  }
}

/**
 * Waits for `work`, but no longer than `limitMs`. The work itself is not stopped: what it has
 * sent to the database goes on.
 */
export async function withDeadline<T>(step: string, limitMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(step, limitMs)), limitMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
