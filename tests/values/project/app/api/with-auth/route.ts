import { call, withAuth } from "@/lib/http";

// worst: 9 s
export const GET = withAuth(async () => {
  const r = await call(5_000);
  return Response.json(await r.json());
});
