import { LIMITS } from "@/lib/limits";
import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  const kind: keyof typeof LIMITS = "write";
  await call(LIMITS[kind]);
}
