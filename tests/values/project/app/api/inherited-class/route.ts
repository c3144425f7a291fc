import { SlowService } from "@/lib/http";

// worst: 10 s
export async function GET() {
  await new SlowService().load();
}
