import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  for (const ms of [1_000, 2_000, 3_000]) await call(ms);
}
