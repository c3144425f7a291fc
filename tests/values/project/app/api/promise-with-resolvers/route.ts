// worst: 4 s
export async function GET() {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 4000);
  await promise;
  return new Response("x");
}
