import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  await Promise.any([call(1_000), call(4_000)]);
}
