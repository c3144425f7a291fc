import { LineSocket } from "./line-socket.js";

/** What a connection is for; the mainframe ends commands of the two kinds after its own limits. */
export type LedgerKind = "read" | "write";

const PORTS: Record<LedgerKind, number> = { read: 7001, write: 7002 };

// overrun:factory kind
export function openLedger(kind: LedgerKind = "read"): LineSocket {
  return new LineSocket(process.env.LEDGER_HOST ?? "127.0.0.1", PORTS[kind]);
}
