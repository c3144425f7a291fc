// The tenth time after 100 ms each.
// worst: 1 s
export async function GET() {
  let times = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (++times >= 10) {
        clearInterval(timer);
        resolve();
      }
    }, 100);
  });
  return new Response("x");
}
