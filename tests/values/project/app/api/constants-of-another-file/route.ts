import { READ_MS, SLOW_MS } from "@/lib/limits";
import { call } from "@/lib/http";

// worst: 12 s
export async function GET() {
  await call(READ_MS);
  await call(SLOW_MS);
}
