import { sleep } from "@/lib/http";

// The first item is answered after 1 s. Where there is none, 5 s.
// worst: 5 s
export async function GET(request: Request) {
  for (const item of await request.json()) {
    await sleep(1_000);
    return new Response(item);
  }
  await sleep(5_000);
}
