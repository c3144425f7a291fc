import { call } from "@/lib/http";

// worst: 2 s
export async function GET() {
  const mode: string = "fast";
  switch (mode) {
    case "slow":
      await call(60_000);
      break;
    case "fast":
      await call(2_000);
      break;
    default:
      await call(30_000);
  }
}
