// worst: 310 s
/** Without a signal the runtime's own limits are all there is. */
export async function GET(request: Request) {
  const { fast } = await request.json();
  let options: RequestInit = {};
  if (fast) options = { signal: AbortSignal.timeout(1_000) };
  await fetch("https://a.test/x", options);
}
