// worst: 2 s
export async function GET() {
  await fetch("https://a.test/x", { signal: AbortSignal.any([AbortSignal.timeout(9_000), AbortSignal.timeout(2_000)]) });
}
