// Nothing else gets hold of `resolve`: where the test fails the promise stays as it is.
// worst: unbounded
export async function GET(request: Request) {
  const body = await request.json();
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      if (body.ready) resolve();
    }, 1000);
  });
  return new Response("x");
}
