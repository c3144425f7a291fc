// worst: unbounded
import { call } from "@/lib/http";

/** What follows the first item has no end, nor has what ends before the last one. */
export async function GET() {
  const rows = await (await call(2_000)).json();
  for (const row of rows.slice(1)) await call(1_000, `https://a.test/${row.id}`);
  for (const row of rows.slice(0, -1)) await call(1_000, `https://a.test/${row.id}`);
  return Response.json({});
}
