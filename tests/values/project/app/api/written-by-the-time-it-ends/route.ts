import { sleep } from "@/lib/http";

// All of it is written when the join has succeeded: 500 ms, then 1 s.
// worst: 1.5 s
export async function GET() {
  let ms = 9000;
  const load = async () => {
    await sleep(500);
    ms = 1000;
  };
  await Promise.all([load().then(() => {}), sleep(200)]);
  await sleep(ms);
  return new Response("x");
}
