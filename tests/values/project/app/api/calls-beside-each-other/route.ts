import { call } from "@/lib/http";

const load = async (ms: number) => {
  await call(ms);
};

// Both run at once: the longer of 5 s and 1 s.
// worst: 5 s
export async function GET() {
  await Promise.all([load(5000), load(1000)]);
  return new Response("x");
}
