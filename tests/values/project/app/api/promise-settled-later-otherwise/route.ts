// Settled after 1 s where the test holds, after 2 s in any case.
// worst: 2 s
export async function GET(request: Request) {
  const body = await request.json();
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      if (body.ready) resolve();
    }, 1000);
    setTimeout(() => resolve(), 2000);
  });
  return new Response("x");
}
