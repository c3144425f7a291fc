// worst: 2 s
export async function GET() {
  await new Promise<void>((done) => setTimeout(done, "2000"));
  return new Response("x");
}
