import { call } from "@/lib/http";

class Pages {
  private next: string | null = "https://a.test/pages";
  [Symbol.asyncIterator]() {
    return {
      next: async () => {
        if (this.next === null) return { done: true, value: undefined };
        const response = await call(1000, this.next);
        const page = await response.json();
        this.next = page.next;
        return { done: false, value: page };
      },
    };
  }
}

// The far side says when there is no further page.
// worst: unbounded
export async function GET() {
  for await (const page of new Pages()) void page;
  return new Response("x");
}
