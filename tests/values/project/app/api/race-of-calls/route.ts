import { call } from "@/lib/http";

// worst: 1 s
export async function GET() {
  await Promise.race([call(1_000), call(4_000)]);
}
