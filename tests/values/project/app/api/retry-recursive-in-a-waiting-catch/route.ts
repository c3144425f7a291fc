import { call, sleep } from "@/lib/http";

async function load(left: number): Promise<unknown> {
  return call(1000).catch(async (error) => {
    if (left <= 0) throw error;
    await sleep(100);
    return load(left - 1);
  });
}

// Three calls of 1 s, and 100 ms before the second and the third.
// worst: 3.2 s
export async function GET() {
  try {
    await load(2);
  } catch {}
  return new Response("x");
}
