import { call } from "@/lib/http";

// worst: 3 s
export async function GET() {
  await new Promise((resolve, reject) => call(3_000).then(resolve, reject));
}
