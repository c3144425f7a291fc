import type { SupabaseClient } from "@supabase/supabase-js";

import type { Database, Order } from "@/lib/database.types";

/** PostgreSQL's code for a row that a unique index refuses. */
export const UNIQUE_VIOLATION = "23505";

export interface OrderRequest {
  clientRequestId: string;
  productId: string;
  quantity: number;
  phone: string;
}

/** What the shop's form sent, or null if it is not an order. */
export function parseOrderRequest(body: unknown): OrderRequest | null {
  if (typeof body !== "object" || body === null) return null;
  const { clientRequestId, productId, quantity, phone } = body as Record<string, unknown>;
  if (typeof clientRequestId !== "string" || typeof productId !== "string") return null;
  if (typeof phone !== "string" || typeof quantity !== "number") return null;
  if (!Number.isInteger(quantity) || quantity < 1) return null;
  return { clientRequestId, productId, quantity, phone };
}

/** The order that this very request has already made, if any. */
export async function findByRequestId(
  supabase: SupabaseClient<Database>,
  userId: string,
  clientRequestId: string,
) {
  return await supabase
    .from("orders")
    .select("id, number, status")
    .eq("user_id", userId)
    .eq("client_request_id", clientRequestId)
    .maybeSingle();
}

export interface OrderWithItems {
  order: Pick<Order, "id" | "number" | "status">;
  productIds: string[];
}

/** An order by what its buyer knows of it: two reads, the second needs the first. */
export async function findWithItems(
  supabase: SupabaseClient<Database>,
  number: string,
  phone: string,
): Promise<OrderWithItems | null> {
  const { data: order, error } = await supabase
    .from("orders")
    .select("id, number, status")
    .eq("number", number)
    .eq("phone", phone)
    .maybeSingle();
  if (error) throw new Error(`orders: ${error.message}`);
  if (!order) return null;

  const { data: items, error: itemsError } = await supabase
    .from("order_items")
    .select("product_id")
    .eq("order_id", order.id);
  if (itemsError) throw new Error(`order_items: ${itemsError.message}`);
  return { order, productIds: items.map((item) => item.product_id) };
}
