import { call, retry, withDeadline } from "@/lib/http";

// worst: 10 s
export async function GET() {
  await withDeadline(retry(() => call(5_000)), 10_000);
}
