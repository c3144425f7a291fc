import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  let n = 0;
  do {
    await call(3_000);
  } while (++n < 2);
}
