import { Service } from "@/lib/http";

// worst: 3 s
export async function GET() {
  await new Service().load();
}
