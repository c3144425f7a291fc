import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  const calls = new Set<Promise<Response>>();
  calls.add(call(1_000));
  calls.add(call(4_000));
  await Promise.all(calls);
}
