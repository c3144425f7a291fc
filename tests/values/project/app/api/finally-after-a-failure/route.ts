import { call, sleep } from "@/lib/http";

// The call may fail, and then it is not done: 1 s for the call that times out, 4 s of cleaning up.
// Behind it, it is done.
// worst: 5 s
export async function GET() {
  let done = false;
  try {
    await call(1_000);
    done = true;
  } finally {
    if (!done) await sleep(4_000);
  }
  if (!done) await sleep(60_000);
}
