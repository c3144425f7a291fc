import { call } from "@/lib/http";

// Each page adds links to the set, which are gone through too.
// worst: unbounded
export async function GET() {
  const open = new Set(["https://a.test/x"]);
  for (const url of open) {
    const response = await call(1000, url);
    const page = await response.json();
    for (const link of page.links) open.add(link);
  }
  return new Response("x");
}
