import { sleep } from "@/lib/http";

let running: Promise<void> | null = null;
async function load() {
  try {
    await sleep(2000);
  } finally {
    running = null;
  }
}
function shared() {
  if (!running) running = load();
  return running;
}

// The second call starts another one: the first has ended. 2 x 2 s.
// worst: 4 s
export async function GET() {
  await shared();
  await shared();
  return new Response("x");
}
