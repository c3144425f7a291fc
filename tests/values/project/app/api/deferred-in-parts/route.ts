import { call } from "@/lib/http";

function deferred() {
  let resolve!: (value?: unknown) => void, reject!: (error: unknown) => void;
  const promise = new Promise((ok, fails) => {
    resolve = ok;
    reject = fails;
  });
  return { promise, resolve, reject };
}

// Whichever way the call ends, within 3 s, it settles the promise.
// worst: 3 s
export async function GET() {
  const answer = deferred();
  void (async () => {
    try {
      await call(3000);
      answer.resolve(1);
    } catch (error) {
      answer.reject(error);
    }
  })();
  await answer.promise;
  return new Response("x");
}
