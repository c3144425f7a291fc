import { call } from "@/lib/http";

// worst: 3 s
export async function GET() {
  const work = call(3_000);
  const running = [work];
  work.finally(() => running.splice(running.indexOf(work), 1));
  await Promise.all(running);
}
