// Where the call fails nothing settles the promise: `catch` is missing.
// worst: unbounded
export async function GET() {
  await new Promise<void>((resolve) => {
    fetch("https://a.test/x", { signal: AbortSignal.timeout(5000) }).then(() => {
      resolve();
    });
  });
  return new Response("x");
}
