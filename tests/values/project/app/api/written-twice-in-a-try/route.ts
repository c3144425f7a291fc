import { call, sleep } from "@/lib/http";

// The first call may fail when `ms` is 9 s.
// worst: 9 s
export async function GET() {
  let ms = 1000;
  try {
    ms = 9000;
    await call(0);
    ms = 100;
    await call(0);
  } catch {
    await sleep(ms);
  }
  return new Response("x");
}
