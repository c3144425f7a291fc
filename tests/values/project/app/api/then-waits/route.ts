import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  await call(2_000).then(() => call(4_000));
}
