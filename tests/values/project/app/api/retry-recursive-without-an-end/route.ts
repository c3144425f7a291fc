import { call, sleep } from "@/lib/http";

const load = (): Promise<unknown> => call(1000).catch(() => sleep(10).then(() => load()));

// Nothing says when it gives up.
// worst: unbounded
export async function GET() {
  await load();
  return new Response("x");
}
