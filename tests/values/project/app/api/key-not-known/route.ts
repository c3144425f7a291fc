import { LIMITS } from "@/lib/limits";
import { call } from "@/lib/http";

// worst: 6 s
export async function GET(request: Request) {
  const { kind } = await request.json();
  await call(LIMITS[kind as keyof typeof LIMITS]);
}
