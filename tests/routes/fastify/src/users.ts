import type { FastifyInstance } from "fastify";
import { call } from "./remote";

export default async function users(fastify: FastifyInstance) {
  fastify.addHook("preHandler", (request, reply, done) => {
    call("/role", 700).then(() => done());
  });
  fastify.get("/", async () => {
    await call("/users", 2000);
    return [];
  });
}
