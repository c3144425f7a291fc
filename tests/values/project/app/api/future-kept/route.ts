import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  const slow = call(6_000);
  await call(2_000);
  await slow;
}
