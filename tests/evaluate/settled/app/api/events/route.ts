import { EventEmitter } from "node:events";

// An event that may come at any time, or never: nothing is known about the wait.
export async function GET() {
  const events = new EventEmitter();
  await new Promise((resolve) => {
    events.once("done", () => resolve(1));
  });
  return new Response("x");
}
