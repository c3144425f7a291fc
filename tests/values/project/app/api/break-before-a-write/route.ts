import { sleep } from "@/lib/http";

// A path that breaks out has not written what stands behind it: 9 s are waited where it is patient,
// 4 s where it is quick and does it now, else 1 s.
// worst: 9 s
export async function GET(request: Request) {
  const body = await request.json();
  let wait = 9000;
  choose: {
    if (body.patient) break choose;
    if (body.quick) {
      wait = 4000;
      if (body.now) break choose;
    }
    wait = 1000;
  }
  await sleep(wait);
  return new Response("x");
}
