import { call } from "@/lib/http";
import { z } from "zod";

class Region {
  name = "eu";
}

const found: unknown = z.NEVER;

// worst: 4 s
export async function GET() {
  if (!(found instanceof Region)) {
    return;
  }
  await call(4_000);
}
