// worst: 5 s
/** Each branch makes a signal of its own; the call has one of them. */
export async function GET(request: Request) {
  const { fast } = await request.json();
  const signal = fast ? AbortSignal.timeout(1_000) : AbortSignal.timeout(5_000);
  await fetch("https://a.test/x", { signal });
}
