import { sleep } from "@/lib/http";

// 2 s, then 3 s of what the callback waits for.
// worst: 5 s
export async function GET() {
  let done!: (value: number) => void;
  const promise = new Promise<number>((resolve) => (done = resolve));
  sleep(2000).then(async () => {
    await sleep(3000);
    done(1);
  });
  await promise;
  return new Response("x");
}
