import { call } from "@/lib/http";

// worst: 10 s
export async function GET() {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const left = deadline - Date.now();
    if (left <= 0) throw new Error("late");
    return await call(Math.min(left, 60_000));
  }
}
