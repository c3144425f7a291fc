import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  const [first, second] = [call(5_000), call(2_000)];
  await Promise.all([first, second]);
  await first;
}
