import { call } from "./remote";

export default async function lazy(fastify) {
  fastify.get("/thing", async () => call("/thing", 1200));
}
