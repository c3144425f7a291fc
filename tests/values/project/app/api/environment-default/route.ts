import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  await call(Number(process.env.CALL_MS ?? "2000"));
}
