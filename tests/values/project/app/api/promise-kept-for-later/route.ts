import { sleep } from "@/lib/http";

// The timer runs since it was made: 5 s, and 1 s of them has passed.
// worst: 5 s
export async function GET() {
  const waiting = sleep(5000);
  await sleep(1000);
  await waiting;
  return new Response("x");
}
