import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  void call(6_000);
  await call(2_000);
}
