// worst: 9 s
export async function GET(request: Request) {
  const body = await request.json();
  await new Promise<void>((resolve) => {
    if (body.quick) setTimeout(() => resolve(), 1000);
    else setTimeout(() => resolve(), 9000);
  });
  return new Response("x");
}
