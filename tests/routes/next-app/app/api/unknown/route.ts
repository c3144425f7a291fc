import { withTelemetry } from "telemetry-for-everyone";
import { call } from "../../../lib/remote";

export const GET = withTelemetry(async () => {
  await call("/unknown", 2500);
  return Response.json({});
});
