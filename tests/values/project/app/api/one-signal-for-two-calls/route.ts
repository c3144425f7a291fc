// worst: 5 s
export async function GET() {
  const signal = AbortSignal.timeout(5_000);
  await fetch("https://a.test/1", { signal });
  await fetch("https://a.test/2", { signal });
}
