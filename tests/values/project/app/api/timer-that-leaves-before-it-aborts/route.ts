// worst: 310 s
export async function GET(request: Request) {
  const body = await request.json();
  const controller = new AbortController();
  setTimeout(() => {
    if (!body.hurry) return;
    controller.abort();
  }, 1000);
  await fetch("https://a.test/x", { signal: controller.signal });
  return new Response("x");
}
