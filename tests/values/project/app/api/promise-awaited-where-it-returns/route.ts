import { sleep } from "@/lib/http";

// Raced against 1 s where that returns, and waited for to its end where it does not.
// worst: 5 s
export async function GET(request: Request) {
  const body = await request.json();
  const promise = sleep(5_000);
  if (body.quick) {
    await Promise.race([promise, sleep(1_000)]);
    return;
  }
  await promise;
}
