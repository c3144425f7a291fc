import { call } from "@/lib/http";

// worst: unbounded
export async function GET() {
  const open = ["a"];
  for (const name of open) {
    await call(1_000);
    open.push(`${name}/below`);
  }
}
