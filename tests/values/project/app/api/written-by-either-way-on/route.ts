import { call, sleep } from "@/lib/http";

// 1 s for the call, then 9 s where it has succeeded.
// worst: 10 s
export async function GET() {
  let wait = 0;
  await call(1000).then(
    () => {
      wait = 9000;
    },
    () => {
      wait = 2000;
    },
  );
  await sleep(wait);
  return new Response("x");
}
