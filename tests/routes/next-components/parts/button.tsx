"use client";

import { useEffect } from "react";

import { call } from "@/lib/remote";

/** Runs in the browser. */
export function Button({ children, onPress }: { children: unknown; onPress?: () => Promise<void> }) {
  useEffect(() => {
    void call("/effect", 60000);
  });
  return <button onClick={async () => { await call("/press", 50000); await onPress?.(); }}>{children as string}</button>;
}

/** Never awaited on the server. */
export async function Never() {
  await call("/never", 40000);
  return <p>never</p>;
}
