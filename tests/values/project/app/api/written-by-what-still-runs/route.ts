import { call, sleep } from "@/lib/http";

// Nobody waits for the call: the 9 s begin before it has ended.
// worst: 9 s
export async function GET() {
  let wait = 9000;
  call(1000).then(
    () => {
      wait = 2000;
    },
    () => {},
  );
  await sleep(wait);
  return new Response("x");
}
