import { sleep } from "@/lib/http";

// The function has gone on for 3 s when it settles the promise.
// worst: 3 s
export async function GET() {
  let done!: (value: number) => void;
  const promise = new Promise<number>((resolve) => (done = resolve));
  (async () => {
    await sleep(3000);
    done(1);
    await sleep(9000);
  })();
  await promise;
  return new Response("x");
}
