import { sleep } from "@/lib/http";

// What `a` stores after 3 s lasts 5 s more; `b` waits for that.
// worst: 8 s
export async function GET() {
  let stored: Promise<void> | undefined;
  const a = async () => {
    await sleep(3000);
    stored = sleep(5000);
  };
  const b = async () => {
    await sleep(3500);
    await stored;
  };
  await Promise.all([a(), b()]);
  return new Response("x");
}
