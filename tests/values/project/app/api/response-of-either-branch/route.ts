// worst: 3 s
/** The signal of the call that was made covers the body too, which is read behind the branches. */
export async function GET(request: Request) {
  const { fast } = await request.json();
  let response: Response;
  if (fast) response = await fetch("https://a.test/x", { signal: AbortSignal.timeout(1_000) });
  else response = await fetch("https://a.test/y", { signal: AbortSignal.timeout(3_000) });
  return Response.json(await response.json());
}
