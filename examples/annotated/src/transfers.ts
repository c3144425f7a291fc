import { readFile } from "node:fs/promises";

import { openLedger } from "./ledger.js";
import { screen, type Transfer } from "./screening.js";

export interface Reply {
  status: number;
  body: unknown;
}

// overrun:route GET /accounts/:account/balance within=gateway
export async function balance(account: string): Promise<Reply> {
  const ledger = openLedger("read");
  const answer = await ledger.ask(`BALANCE ${account}`); // overrun:call ledger.read
  ledger.close();
  return { status: 200, body: { account, cents: Number(answer) } };
}

// overrun:route POST /transfers within=gateway
export async function transfer(order: Transfer): Promise<Reply> {
  const rate = await exchangeRate(order.currency);

  // The daemon gives up after four seconds and answers "hold", but it finishes its search.
  // overrun:call screening.read
  // overrun:attempt 1500ms
  // overrun:retry max=2 backoff=200ms*2..1s on=timeout,network
  // overrun:deadline 4s abandons
  // overrun:allow(uncancelled-deadline) reason="a late verdict is kept for the next transfer"
  const verdict = await screen(order);
  if (verdict === "hold") return { status: 202, body: { state: "held" } };

  const ledger = openLedger("write");
  // Debit, credit and the difference of the exchange.
  // overrun:loop 3
  for (const posting of postings(order, rate)) {
    // overrun:call ledger.post method=POST
    const answer = await ledger.ask(posting);
    if (answer !== "OK") return { status: 409, body: { state: "refused", answer } };
  }
  ledger.close();
  return { status: 201, body: { state: "booked" } };
}

// overrun:assume 50ms reason="a file of a few kilobytes on a local disk"
async function exchangeRate(currency: string): Promise<number> {
  const table = JSON.parse(await readFile("rates.json", "utf8")) as Record<string, number>;
  return table[currency] ?? 1;
}

function postings({ from, to, cents }: Transfer, rate: number): string[] {
  const credited = Math.floor(cents * rate);
  const lines = [`DEBIT ${from} ${cents}`, `CREDIT ${to} ${credited}`];
  if (credited !== cents) lines.push(`EXCHANGE ${cents - credited}`);
  return lines;
}
