import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  try {
    await call(2_000);
  } finally {
    await call(3_000);
  }
}
