import { sleep } from "@/lib/http";

// Where the body is no JSON the handler returns, and the wait is still 9 s.
// worst: 9 s
export async function GET(request: Request) {
  const text = await request.text();
  let wait = 9000;
  function shorten() {
    let parsed;
    try {
      parsed = JSON.parse(text);
    } catch {
      return;
    }
    wait = parsed.quick ? 1000 : 2000;
  }
  shorten();
  await sleep(wait);
  return new Response("x");
}
