import { publicRoute } from "@/lib/public-route";
import { createSupabaseAdminClient } from "@/lib/supabase";

export const maxDuration = 10;

export const GET = publicRoute(async () => {
  const supabase = createSupabaseAdminClient("read");
  const { data: counts, error } = await supabase.from("order_counts").select("status, count");
  if (error) return Response.json({ error: "counts not available" }, { status: 503 });

  return Response.json(Object.fromEntries(counts.map(({ status, count }) => [status, count])));
});
