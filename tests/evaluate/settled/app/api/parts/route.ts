import { EventEmitter } from "node:events";

// The timer rejects after 3 s whatever the events do; what they do first is not known.
export async function GET() {
  const events = new EventEmitter();
  await new Promise((resolve, reject) => {
    events.once("done", resolve);
    setTimeout(() => reject(new Error("late")), 3000);
  }).catch(() => null);
  return new Response("x");
}
