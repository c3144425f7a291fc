import { LOOKUP_DEADLINE_MS } from "@/lib/limits";
import { findWithItems } from "@/lib/orders";
import { publicRoute } from "@/lib/public-route";
import {
  createSupabaseAdminClient,
  createSupabasePublicClient,
  supabaseAdmin,
} from "@/lib/supabase";
import { withDeadline } from "@/lib/with-deadline";

export const runtime = "edge";

const LOOKUPS_PER_MINUTE = 5;

export const POST = publicRoute(async (request) => {
  const { number, phone } = (await request.json()) as { number: string; phone: string };

  const { data: allowed, error } = await supabaseAdmin.rpc("take_rate_limit_token", {
    bucket: `order-lookup:${phone}`,
    per_minute: LOOKUPS_PER_MINUTE,
  });
  if (error) return Response.json({ error: "try again" }, { status: 503 });
  if (!allowed) return Response.json({ error: "too many lookups" }, { status: 429 });

  const found = await withDeadline(
    "order lookup",
    LOOKUP_DEADLINE_MS,
    findWithItems(createSupabaseAdminClient(), number, phone),
  );
  if (!found) return Response.json({ error: "no such order" }, { status: 404 });

  const catalogue = createSupabasePublicClient();
  const [thumbnails, reviews] = await Promise.all([
    catalogue.from("product_thumbnails").select("product_id, url").in("product_id", found.productIds),
    catalogue.from("reviews").select("id, rating").eq("order_id", found.order.id),
  ]);

  return Response.json({
    order: found.order,
    thumbnails: thumbnails.data ?? [],
    reviews: reviews.data ?? [],
  });
});
