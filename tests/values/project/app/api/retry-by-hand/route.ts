import { call, retry } from "@/lib/http";

// worst: 27 s
export async function GET() {
  await retry(() => call(5_000));
}
