// Where the test fails nothing cuts the call short: connect 10 s, headers 300 s.
// worst: 310 s
export async function GET(request: Request) {
  const body = await request.json();
  const controller = new AbortController();
  setTimeout(() => {
    if (body.hurry) controller.abort();
  }, 1000);
  await fetch("https://a.test/x", { signal: controller.signal });
  return new Response("x");
}
