import { sleep } from "@/lib/http";

// What stands before its first wait is done when the call returns.
// worst: 1 s
export async function GET() {
  let ms = 9000;
  const load = async () => {
    ms = 1000;
    await sleep(500);
  };
  void load();
  await sleep(ms);
  return new Response("x");
}
