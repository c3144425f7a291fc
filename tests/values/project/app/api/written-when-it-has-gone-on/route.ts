import { sleep } from "@/lib/http";

// After 100 ms the function has not written yet.
// worst: 9.1 s
export async function GET() {
  let ms = 9000;
  const load = async () => {
    await sleep(500);
    ms = 1000;
  };
  void load();
  await sleep(100);
  await sleep(ms);
  return new Response("x");
}
