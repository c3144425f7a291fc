import { sleep } from "@/lib/http";

// 1, then 2, then 3: each for 1 s.
// worst: 3 s
export async function GET() {
  const open = new Set([1]);
  for (const step of open) {
    await sleep(1000);
    if (step < 3) open.add(step + 1);
  }
  return new Response("x");
}
