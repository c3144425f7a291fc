import { sleep } from "@/lib/http";

// At most four at once, each 1 s; nothing bounds how many there are.
// worst: unbounded
export async function GET(request: Request) {
  const running = new Set<Promise<void>>();
  for (const item of await request.json()) {
    while (running.size >= 4) await Promise.race(running);
    const one: Promise<void> = sleep(1_000).finally(() => {
      running.delete(one);
    });
    running.add(one);
  }
  await Promise.all(running);
}
