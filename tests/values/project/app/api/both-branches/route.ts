import { call } from "@/lib/http";

// worst: 7 s
export async function GET(request: Request) {
  if (request.headers.get("x")) await call(3_000);
  else await call(5_000);
  await call(2_000);
}
