import { sleep } from "@/lib/http";

class Lock {
  private last: Promise<unknown> = Promise.resolve();
  run<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(() => work());
    this.last = run.catch(() => {});
    return run;
  }
}

// Each waits for the one before it: 3 x 5 s.
// worst: 15 s
export async function GET() {
  const lock = new Lock();
  await Promise.all([1, 2, 3].map(() => lock.run(() => sleep(5000))));
  return new Response("x");
}
