// 10 s for the call, then 5 s for the timer that its answer sets.
// worst: 15 s
export async function GET() {
  await new Promise<void>((resolve) => {
    fetch("https://a.test/x", { signal: AbortSignal.timeout(10_000) }).then(
      () => {
        setTimeout(() => resolve(), 5000);
      },
      () => resolve(),
    );
  });
  return new Response("x");
}
