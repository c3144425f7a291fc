import { call } from "@/lib/http";
import { createEnv } from "@t3-oss/env-nextjs";

const env = createEnv({ runtimeEnv: { REGION: process.env.REGION } });

// Whether the region is set is not known: the call may be made.
// worst: 2 s
export async function GET() {
  if (env.REGION) {
    return new Response("not here", { status: 403 });
  }
  await call(2_000);
}
