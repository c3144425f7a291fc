import { call, retry, withDeadline } from "@/lib/http";

// worst: 19 s
export async function GET() {
  await retry(() => withDeadline(call(9_000), 3_000));
}
