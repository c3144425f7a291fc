import { call } from "@/lib/http";
import { createEnv } from "@t3-oss/env-nextjs";

const env = createEnv({ runtimeEnv: { HOSTS: process.env.HOSTS } });

// worst: 3 s
export async function GET() {
  if (!Array.isArray(env.HOSTS)) {
    return;
  }
  await call(3_000);
}
