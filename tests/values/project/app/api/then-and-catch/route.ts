import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  await call(2_000).then((r) => r.json()).catch(() => call(3_000));
}
