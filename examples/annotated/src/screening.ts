import { LineSocket } from "./line-socket.js";

export interface Transfer {
  from: string;
  to: string;
  cents: number;
  currency: string;
}

const PORT = 7010;

/** Asks the in-house screening daemon; its own client tries again while the daemon is busy. */
export async function screen(transfer: Transfer): Promise<"clear" | "hold"> {
  const daemon = new LineSocket(process.env.SCREENING_HOST ?? "127.0.0.1", PORT);
  try {
    const answer = await daemon.ask(`SCREEN ${transfer.from} ${transfer.to} ${transfer.cents}`);
    return answer === "CLEAR" ? "clear" : "hold";
  } finally {
    daemon.close();
  }
}
