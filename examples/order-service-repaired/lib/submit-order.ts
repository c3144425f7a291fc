"use client";

import { SUBMIT_PATIENCE_MS } from "@/lib/limits";
import type { OrderRequest } from "@/lib/orders";

export type SubmitResult = { status: "received" } | { status: "refused"; reason: string };

/** Nobody knows yet whether the order is stored: the form offers to send the same one again. */
export class NoAnswerError extends Error {
  constructor() {
    super(`The shop did not answer within ${SUBMIT_PATIENCE_MS} ms`);
    this.name = "NoAnswerError";
  }
}

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
  const patience = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new NoAnswerError()), SUBMIT_PATIENCE_MS);
  });
  return await Promise.race([send(order, accessToken), patience]);
}
