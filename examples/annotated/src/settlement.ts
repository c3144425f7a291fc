import { openLedger } from "./ledger.js";
import type { LineSocket } from "./line-socket.js";

// The scheduler stops the job after a minute.
// overrun:route TASK settle
// overrun:deadline 1m
export async function settle(): Promise<number> {
  // overrun:allow(implicit-default) reason="settling only reads, and that is the default"
  const ledger = openLedger();
  const settled = await settleFrom(ledger, "first");

  // overrun:call ledger.read times=2
  await checkpoint(ledger);
  ledger.close();
  return settled;
}

// The mainframe hands out at most ten pages a night.
// overrun:loop 10
async function settleFrom(ledger: LineSocket, cursor: string): Promise<number> {
  // overrun:call ledger.read
  const page = await ledger.ask(`PENDING ${cursor}`);
  const [count, next] = page.split(" ");
  if (!next) return Number(count);
  return Number(count) + (await settleFrom(ledger, next));
}

async function checkpoint(ledger: LineSocket): Promise<void> {
  await ledger.ask("CHECKPOINT");
  await ledger.ask("TOTALS");
}

if (process.argv[1]?.endsWith("settlement.js")) {
  console.log(`${await settle()} transfers settled`);
}
