import { call, sleep } from "@/lib/http";

const load = (left: number): Promise<unknown> =>
  call(1000).catch((error) => {
    if (left <= 0) throw error;
    return sleep(100).then(() => load(left - 1));
  });

// Three calls of 1 s, and 100 ms before the second and the third.
// worst: 3.2 s
export async function GET() {
  try {
    await load(2);
  } catch {}
  return new Response("x");
}
