import { sleep } from "@/lib/http";

// Both run from the start, and each takes itself out: the longer of them.
// worst: 8 s
export async function GET() {
  const running = new Set<Promise<void>>();
  const add = (ms: number) => {
    const work: Promise<void> = sleep(ms).then(() => {
      running.delete(work);
    });
    running.add(work);
  };
  add(5000);
  add(8000);
  while (running.size > 0) await Promise.race(running);
  return new Response("x");
}
