import { call } from "@/lib/http";

// Three items at first, and one more with each turn.
// worst: unbounded
export async function GET(request: Request) {
  const body = await request.json();
  const open: string[] = body.urls.slice(0, 3);
  for (const url of open) {
    const response = await call(1000, url);
    open.push(await response.text());
  }
  return new Response("x");
}
