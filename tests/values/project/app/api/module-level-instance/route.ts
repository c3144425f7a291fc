import { shared } from "@/lib/http";

// worst: 8 s
export async function GET() {
  await shared.load();
}
