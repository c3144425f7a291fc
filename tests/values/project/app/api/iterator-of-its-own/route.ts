import { sleep } from "@/lib/http";

class Pages {
  constructor(private readonly count: number) {}
  [Symbol.asyncIterator]() {
    let page = 0;
    return {
      next: async () => {
        if (page++ >= this.count) return { done: true, value: undefined };
        await sleep(1000);
        return { done: false, value: page };
      },
    };
  }
}

// Three pages of 1 s each, and 2 s with each.
// worst: 9 s
export async function GET() {
  for await (const page of new Pages(3)) {
    await sleep(2000);
    void page;
  }
  return new Response("x");
}
