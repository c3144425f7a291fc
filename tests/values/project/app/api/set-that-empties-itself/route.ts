import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  const work = call(4_000);
  const running = new Set([work]);
  work.finally(() => running.clear());
  await Promise.all(running);
}
