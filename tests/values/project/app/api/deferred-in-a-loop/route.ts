import { sleep } from "@/lib/http";

// The test may hold in the last turn only, and after it: 30 turns of 1 s.
// worst: 30 s
export async function GET() {
  let done!: (value: number) => void;
  const promise = new Promise<number>((resolve) => (done = resolve));
  (async () => {
    for (let turn = 0; turn < 30; turn++) {
      await sleep(1000);
      if (Math.random() > 0.5) {
        done(1);
        return;
      }
    }
    done(2);
  })();
  await promise;
  return new Response("x");
}
