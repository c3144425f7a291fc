import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  await call(parseInt(process.env.CALL_MS || "4000", 10));
}
