import { sleep } from "@/lib/http";

// 2 s until the timer fires, then 3 s, all of it since the start.
// worst: 5 s
export async function GET() {
  let done!: (value: number) => void;
  const promise = new Promise<number>((resolve) => (done = resolve));
  setTimeout(async () => {
    await sleep(3000);
    done(1);
  }, 2000);
  await sleep(1000);
  await promise;
  return new Response("x");
}
