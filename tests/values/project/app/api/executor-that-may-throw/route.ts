// What an asynchronous executor throws rejects nothing: the promise stays as it is.
// worst: unbounded
export async function GET() {
  await new Promise<void>(async (resolve) => {
    await fetch("https://a.test/x");
    resolve();
  });
  return new Response("x");
}
