import pRetry from "p-retry";
import { call } from "@/lib/http";

// worst: 11 s
export async function GET() {
  await pRetry(() => call(2_000), { retries: 2, minTimeout: 1_000, factor: 4 });
}
