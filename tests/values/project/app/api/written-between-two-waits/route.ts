import { call, sleep } from "@/lib/http";

// It may fail when `ms` is 9 s: 500 ms, then 9 s.
// worst: 9.5 s
export async function GET() {
  let ms = 1000;
  const load = async () => {
    await sleep(500);
    ms = 9000;
    await call(0);
    ms = 500;
  };
  const loading = load();
  try {
    await loading;
  } catch {
    await sleep(ms);
  }
  return new Response("x");
}
