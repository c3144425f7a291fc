import { call } from "@/lib/http";

// There is no window where requests are served: 5 s.
// worst: 5 s
export async function GET() {
  const limit = typeof window === "undefined" ? 5000 : 60_000;
  await call(limit);
  return new Response("x");
}
