import { call, sleep } from "@/lib/http";

// The call fails after 500 ms, and `ms` is 9 s still.
// worst: 9.5 s
export async function GET() {
  let ms = 9000;
  const load = async () => {
    await call(500);
    ms = 100;
  };
  await load().catch(() => {});
  await sleep(ms);
  return new Response("x");
}
