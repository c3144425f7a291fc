import { call } from "@/lib/http";

// worst: 7 s
export async function GET() {
  try {
    return await call(2_000);
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") return call(5_000);
    throw error;
  }
}
