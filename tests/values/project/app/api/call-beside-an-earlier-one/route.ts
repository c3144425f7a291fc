import { call, sleep } from "@/lib/http";

const load = async (ms: number) => {
  await call(ms);
};

// `earlier` ends after 5 s, and is the first of both; then 4 s.
// worst: 9 s
export async function GET() {
  const earlier = load(5000);
  await Promise.race([load(1000).then(() => sleep(60_000)), earlier]);
  await sleep(4000);
  return new Response("x");
}
