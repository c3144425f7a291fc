import { sleep } from "@/lib/http";

// The call fails after 5 s at the latest, or is answered with an error that the callback throws:
// `catch` rejects then, and 7 s are waited: 12 s.
// worst: 12 s
export async function GET() {
  try {
    await new Promise<Response>((resolve, reject) => {
      fetch("https://a.test/x", { signal: AbortSignal.timeout(5000) })
        .then((response) => {
          if (!response.ok) throw new Error("no");
          resolve(response);
        })
        .catch((error) => reject(error));
    });
  } catch {
    await sleep(7000);
  }
  return new Response("x");
}
