import type { FastifyInstance } from "fastify";
import { call } from "../remote";

export default async function stock(fastify: FastifyInstance) {
  fastify.get("/stock", async () => call("/stock", 1400));
}
