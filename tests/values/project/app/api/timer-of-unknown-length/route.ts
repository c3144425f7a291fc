// worst: unbounded
export async function GET(request: Request) {
  await new Promise<void>((done) => setTimeout(done, Number(request.headers.get("pause"))));
  return new Response("x");
}
