import Fastify from "fastify";
import { call } from "./remote";
import users from "./users";
import plugged from "./plugged";

const server = Fastify({ logger: true });

server.addHook("onRequest", async (request, reply) => {
  await call("/session", 1000);
});

server.addHook("onClose", async () => {
  await call("/close", 20000);
});

server.get("/plain", async (request, reply) => {
  await call("/plain", 2000);
  return {};
});

server.post("/checked", { preHandler: [async () => void (await call("/check", 500))] }, async () => {
  await call("/checked", 2000);
  return {};
});

server.route({
  method: ["PUT", "PATCH"],
  url: "/described/:id",
  preHandler: async () => {
    await call("/described/check", 300);
  },
  handler: async (request) => {
    await call("/described", 4000);
    return {};
  },
});

server.register(users, { prefix: "/users" });
server.register(import("./lazy"), { prefix: "/lazy" });
server.register(plugged);

await server.listen({ port: 3000 });
