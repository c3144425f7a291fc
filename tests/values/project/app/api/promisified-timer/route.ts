import { promisify } from "node:util";

const sleep = promisify(setTimeout);

// worst: 5 s
export async function GET() {
  await sleep(5000);
  return new Response("x");
}
