import { call } from "@/lib/http";

// Likewise the keys of a map.
// worst: unbounded
export async function GET() {
  const seen = new Map<string, boolean>([["https://a.test/x", true]]);
  for (const url of seen.keys()) {
    const response = await call(1000, url);
    const page = await response.json();
    seen.set(page.next, true);
  }
  return new Response("x");
}
