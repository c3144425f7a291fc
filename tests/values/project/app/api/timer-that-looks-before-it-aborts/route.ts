// A signal that has fired already needs no timer: it is fired after 1 s either way.
// worst: 1 s
export async function GET() {
  const controller = new AbortController();
  setTimeout(() => {
    if (!controller.signal.aborted) controller.abort();
  }, 1000);
  await fetch("https://a.test/x", { signal: controller.signal }).catch(() => null);
  return new Response("x");
}
