import { call } from "@/lib/http";

// worst: 5 s
export async function GET() {
  return (await call(5_000)).json();
}
