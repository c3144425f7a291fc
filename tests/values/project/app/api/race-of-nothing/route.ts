// worst: unbounded
export async function GET() {
  await Promise.race([]);
  return new Response("x");
}
