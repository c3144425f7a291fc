import { createServer, type IncomingMessage } from "node:http";

import type { Transfer } from "./screening.js";
import { balance, transfer, type Reply } from "./transfers.js";

async function body(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

async function reply(request: IncomingMessage): Promise<Reply> {
  const account = /^\/accounts\/(\w+)\/balance$/.exec(request.url ?? "")?.[1];
  if (request.method === "GET" && account) return balance(account);
  if (request.method === "POST" && request.url === "/transfers") {
    return transfer((await body(request)) as Transfer);
  }
  return { status: 404, body: { error: "not found" } };
}

const server = createServer(async (request, response) => {
  const answer = await reply(request).catch((error: unknown): Reply => {
    console.error(error);
    return { status: 502, body: { error: "not available" } };
  });
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
});

server.listen(Number(process.env.PORT ?? 8080));
