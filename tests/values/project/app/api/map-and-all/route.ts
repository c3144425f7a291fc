import { call } from "@/lib/http";

// worst: 3 s
export async function GET() {
  await Promise.all([1_000, 2_000, 3_000].map((ms) => call(ms)));
}
