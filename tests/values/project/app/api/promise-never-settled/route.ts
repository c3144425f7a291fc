// worst: unbounded
export async function GET() {
  await new Promise(() => {});
  return new Response("x");
}
