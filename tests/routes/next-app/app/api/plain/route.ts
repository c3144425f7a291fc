import { call } from "@/lib/remote";

export const maxDuration = 30;

export async function GET() {
  await call("/plain", 2000);
  return Response.json({});
}

export const POST = GET;
