import { sleep } from "@/lib/http";

const ticks = {
  async *[Symbol.asyncIterator]() {
    for (let i = 0; i < 3; i++) {
      await sleep(1000);
      yield i;
    }
  },
};

// worst: 3 s
export async function GET() {
  for await (const tick of ticks) void tick;
  return new Response("x");
}
