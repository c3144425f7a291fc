import { call, retry } from "@/lib/http";

// worst: 13.5 s
export async function GET() {
  await retry(() => call(4_000), { times: 2, base: 500 });
}
