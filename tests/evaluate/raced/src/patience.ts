const PATIENCE_MS = 8000;

/** Told apart by the one that calls it, in another file. */
export function withPatience<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), PATIENCE_MS);
    }),
  ]);
}

/** Nobody calls it here: whoever will is able to tell. */
export function withinASecond<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), 1000);
    }),
  ]);
}
