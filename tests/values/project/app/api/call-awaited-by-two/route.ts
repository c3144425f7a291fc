import { sleep } from "@/lib/http";

const load = async (ms: number) => {
  await sleep(ms);
};

// 10 s of the join (the other branch is 5 + 1 s), nothing for the first again, then 1 s.
// worst: 11 s
export async function GET() {
  const list = [load(5000)];
  const next = async () => {
    await list[0];
    await load(1000);
  };
  await Promise.all([load(10_000), next()]);
  await list[0];
  await load(1000);
  return new Response("x");
}
