import { call } from "../../../lib/remote";

const handler: () => Promise<Response> = async () => {
  await call("/aliased", 1500);
  return Response.json({});
};

export { handler as GET, handler as HEAD };
