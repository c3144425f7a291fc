import { sleep } from "@/lib/http";

class Lock {
  private last: Promise<void> = Promise.resolve();
  async take() {
    let release!: () => void;
    const next = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = this.last;
    this.last = next;
    await before;
    return release;
  }
  async run<T>(work: () => Promise<T>) {
    const release = await this.take();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

// Each waits for the one before it: 3 x 5 s.
// worst: 15 s
export async function GET() {
  const lock = new Lock();
  await Promise.all([1, 2, 3].map(() => lock.run(() => sleep(5000))));
  return new Response("x");
}
