import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  const work = call(2_000);
  work.catch(() => undefined);
  await work;
}
