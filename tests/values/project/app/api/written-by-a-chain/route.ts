import { call, sleep } from "@/lib/http";

// A failed call of 1 s leaves the 9 s as they were.
// worst: 10 s
export async function GET() {
  let wait = 9000;
  await call(1000)
    .then(() => {
      wait = 2000;
    })
    .catch(() => {});
  await sleep(wait);
  return new Response("x");
}
