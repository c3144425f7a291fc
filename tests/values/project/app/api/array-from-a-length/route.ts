// worst: 8 s
import { call } from "@/lib/http";

/** Two pages of 1 s, then at most six of a count that data gives. */
export async function GET(request: Request) {
  for (const page of Array.from({ length: 2 }, (_, index) => index)) await call(1_000, `https://a.test/${page}`);
  const { count } = await request.json();
  for (const page of Array.from({ length: Math.min(count, 6) }).keys()) await call(1_000, `https://a.test/${page}`);
  return Response.json({});
}
