import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  const r = await call(2_000);
  if (r.status === 503) await call(3_000);
  return r;
}
