import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  const options: { before?: () => Promise<unknown> } = { before: () => call(2_000) };
  await options.before?.();
}
