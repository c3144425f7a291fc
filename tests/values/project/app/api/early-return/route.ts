import { call } from "@/lib/http";

// worst: 5 s
export async function GET(request: Request) {
  if (request.headers.get("x")) return call(5_000);
  return call(3_000);
}
