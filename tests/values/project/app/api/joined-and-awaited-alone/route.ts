import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  const work = call(2_000);
  const all = Promise.all([work, call(9_000)]);
  await work;
}
