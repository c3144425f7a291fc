import { sleep } from "@/lib/http";

// However many turns there are, what they wait for was started once.
// worst: 5 s
export async function GET() {
  const work = sleep(5000);
  while (Math.random() > 0.5) await work;
  return new Response("x");
}
