import { call } from "@/lib/http";

// worst: 9 s
export async function GET() {
  let n = 0;
  while (n < 3) {
    n += 1;
    await call(3_000);
  }
}
