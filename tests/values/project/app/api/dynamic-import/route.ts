// worst: 5 s
export async function GET() {
  const { call: late } = await import("@/lib/http");
  await late(5_000);
}
