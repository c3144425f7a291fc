import { call } from "@/lib/http";

// An asynchronous executor that takes its failure itself: 3 s.
// worst: 3 s
export async function GET() {
  await new Promise<void>(async (resolve, reject) => {
    try {
      await call(3000);
      resolve();
    } catch (error) {
      reject(error);
    }
  });
  return new Response("x");
}
