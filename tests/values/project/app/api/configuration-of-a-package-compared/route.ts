import { call } from "@/lib/http";
import { createEnv } from "@t3-oss/env-nextjs";
import { z } from "zod";

const env = createEnv({
  server: { VERIFY: z.enum(["true", "false"]).default("false"), MODE: z.string().optional() },
  runtimeEnv: { VERIFY: process.env.VERIFY, MODE: process.env.MODE },
});

// Each of the two tests may have either answer.
// worst: 5 s
export async function GET() {
  if (env.VERIFY !== "true") {
    await call(1_000);
    return;
  }
  await call(env.MODE === undefined ? 5_000 : 2_000);
}
