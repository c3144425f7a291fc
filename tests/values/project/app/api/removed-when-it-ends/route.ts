import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  const running = new Map<string, Promise<unknown>>();
  const work = call(2_000);
  running.set("work", work);
  work.finally(() => running.delete("work"));
  await Promise.all(running.values());
}
