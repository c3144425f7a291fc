import plugin from "fastify-plugin";
import { call } from "./remote";

export default plugin(async (fastify) => {
  fastify.get("/plugged", async () => call("/plugged", 1300));
});
