import { sleep } from "@/lib/http";

// One branch rejects and the other resolves: 1 s for the timer, and 6 s where it resolved, which
// is more than the 4 s where it did not.
// worst: 7 s
export async function GET(request: Request) {
  const body = await request.json();
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        if (body.bad) reject(new Error("x"));
        else resolve();
      }, 1_000);
    });
  } catch {
    await sleep(4_000);
    return;
  }
  await sleep(6_000);
}
