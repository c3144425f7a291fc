import { call, withDeadline } from "@/lib/http";

// worst: 3 s
export async function GET() {
  await withDeadline(call(9_000), 3_000);
}
