import { call, sleep } from "@/lib/http";

// worst: 4 s
export async function GET() {
  outer: for (const a of [1, 2]) {
    for (const b of [1, 2]) {
      await call(1_000 * a);
      if (b === 1 && a === 1) continue outer;
      break;
    }
  }
  await sleep(1_000);
}
