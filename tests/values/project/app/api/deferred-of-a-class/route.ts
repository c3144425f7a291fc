import { call, sleep } from "@/lib/http";

class Job<T> {
  promise: Promise<T>;
  private resolve!: (value: T) => void;
  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
  async start(value: T) {
    try {
      await call(3000);
    } catch {}
    await sleep(1000);
    this.resolve(value);
  }
}

// Started 1 s before it is asked for: 3 s of the call or less, then 1 s, all of it since the start.
// worst: 4 s
export async function GET() {
  const job = new Job<number>();
  job.start(1);
  await sleep(1000);
  await job.promise;
  return new Response("x");
}
