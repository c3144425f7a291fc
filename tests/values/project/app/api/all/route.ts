import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  await Promise.all([call(1_000), call(4_000), call(2_000)]);
}
