import { call } from "../../../../../lib/remote";

export const runtime = "edge";

export const DELETE = async (request: Request, { params }: { params: Promise<{ id: string }> }) => {
  const { id } = await params;
  await call(`/order/${id}`, 5000);
  return Response.json({});
};
