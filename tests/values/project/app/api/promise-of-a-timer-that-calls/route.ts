// The timer after 5 s, then a call of 10 s at most; it settles however that ends.
// worst: 15 s
export async function GET() {
  await new Promise<void>((resolve) => {
    setTimeout(async () => {
      try {
        await fetch("https://a.test/x", { signal: AbortSignal.timeout(10_000) });
      } finally {
        resolve();
      }
    }, 5000);
  });
  return new Response("x");
}
