// worst: 3 s
export async function GET() {
  await new Promise<void>((done) => setTimeout(() => setTimeout(() => setTimeout(done, 1000), 1000), 1000));
  return new Response("x");
}
