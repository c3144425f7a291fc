import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  await Promise.allSettled([call(1_000), call(4_000)]);
  await call(1_000);
}
