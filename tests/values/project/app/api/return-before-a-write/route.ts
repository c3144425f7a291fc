import { sleep } from "@/lib/http";

// The function leaves before it shortens the wait where the request says so: 9 s is then waited.
// worst: 9 s
export async function GET(request: Request) {
  const body = await request.json();
  let wait = 9000;
  function shorten() {
    if (body.patient) return;
    wait = 1000;
  }
  shorten();
  await sleep(wait);
  return new Response("x");
}
