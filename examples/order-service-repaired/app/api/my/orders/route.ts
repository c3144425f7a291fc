import { authenticate } from "@/lib/authenticate";
import { findByRequestId, parseOrderRequest, UNIQUE_VIOLATION } from "@/lib/orders";
import { createSupabaseServerClient } from "@/lib/supabase";

export const runtime = "edge";

export async function POST(request: Request) {
  const { user, refusal } = await authenticate(request);
  if (refusal) return refusal;

  const order = parseOrderRequest(await request.json());
  if (!order) return Response.json({ error: "not an order" }, { status: 400 });

  // The form sends the same id again when its buyer tries again.
  const reader = await createSupabaseServerClient("read");
  const earlier = await findByRequestId(reader, user.id, order.clientRequestId);
  if (earlier.error) return Response.json({ error: "try again" }, { status: 503 });
  if (earlier.data) return Response.json(earlier.data);

  const writer = await createSupabaseServerClient("write");
  const { data: created, error } = await writer
    .from("orders")
    .insert({
      user_id: user.id,
      client_request_id: order.clientRequestId,
      product_id: order.productId,
      quantity: order.quantity,
      phone: order.phone,
    })
    .select("id, number, status")
    .single();
  if (!error) return Response.json(created, { status: 201 });
  if (error.code !== UNIQUE_VIOLATION) {
    return Response.json({ error: "order not stored" }, { status: 503 });
  }

  // The same request arrived twice at once, and the other one has made the order.
  const winner = await findByRequestId(reader, user.id, order.clientRequestId);
  if (!winner.data) return Response.json({ error: "try again" }, { status: 503 });
  return Response.json(winner.data);
}
