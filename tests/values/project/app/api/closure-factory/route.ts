import { makeCall } from "@/lib/http";

// worst: 4 s
export async function GET() {
  const get = makeCall(4_000);
  await get("https://a.test/x");
}
