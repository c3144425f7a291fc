import { Service } from "@/lib/http";

// worst: 3 s
export async function GET() {
  const base = { limit: 9_000 };
  await new Service({ ...base, limit: 3_000 }).load();
}
