import { open } from "some-driver";

// The package calls back when it likes: likewise.
export async function GET() {
  await new Promise<void>((resolve, reject) => {
    open("x", (error: unknown) => {
      if (error) reject(error);
      else resolve();
    });
  });
  return new Response("x");
}
