import { call } from "@/lib/http";

// The environment is `production` where nothing says otherwise: 5 s.
// worst: 5 s
export async function GET() {
  await call(process.env.NODE_ENV === "production" ? 5000 : 60_000);
  return new Response("x");
}
