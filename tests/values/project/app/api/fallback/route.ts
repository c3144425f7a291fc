import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  try {
    return await call(2_000);
  } catch {
    return call(3_000);
  }
}
