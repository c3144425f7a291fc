import { call } from "@/lib/http";

function load() {
  if (Math.random() > 0.5) return null;
  return call(2000);
}

// Where it is made its signal fires after 2 s; where it is not, nothing waits.
// worst: 2 s
export async function GET() {
  await load();
  return new Response("x");
}
