import { call } from "@/lib/http";

const running = new Map<string, Promise<Response>>();
function load(key: string) {
  const known = running.get(key);
  if (known) return known;
  const work = call(2000).finally(() => running.delete(key));
  running.set(key, work);
  return work;
}

// The second finds nothing: the first has taken itself out. 2 x 2 s.
// worst: 4 s
export async function GET() {
  await Promise.all([load("a"), load("a")]);
  await load("a");
  return new Response("x");
}
