import { sleep } from "@/lib/http";

async function run(then: (value: number) => void) {
  await sleep(3000);
  then(1);
  await sleep(9000);
}

// `run` calls what it was given after 3 s, and goes on.
// worst: 3 s
export async function GET() {
  await new Promise<number>((resolve) => {
    run(resolve);
  });
  return new Response("x");
}
