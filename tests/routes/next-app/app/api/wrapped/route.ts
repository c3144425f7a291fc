import { call } from "../../../lib/remote";
import { withSession } from "../../../lib/with-session";

export const POST = withSession(
  async (request) => {
    const body = await request.json();
    await call("/wrapped", 2000);
    return Response.json(body);
  },
  { log: async () => call("/log", 500) },
);

async function named() {
  await call("/named", 3000);
  return Response.json({});
}

export const PUT = withSession(named);
