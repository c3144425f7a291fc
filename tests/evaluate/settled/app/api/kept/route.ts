const waiting: Array<() => void> = [];

// Somebody else settles it, some time.
export async function GET() {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return new Response("x");
}
