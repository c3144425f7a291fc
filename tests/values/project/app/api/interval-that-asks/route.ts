import { call } from "@/lib/http";

// Nothing says when the far side is ready.
// worst: unbounded
export async function GET() {
  await new Promise<void>((resolve) => {
    const timer = setInterval(async () => {
      const response = await call(1000);
      if (response.ok) {
        clearInterval(timer);
        resolve();
      }
    }, 100);
  });
  return new Response("x");
}
