import { OpenAPIHono, createRoute, z } from "@hono/zod-openapi";
import { call } from "./remote";

const read = createRoute({
  method: "get",
  path: "/{id}/read",
  middleware: [
    async (c, next) => {
      await call("/check", 400);
      await next();
    },
  ] as const,
  responses: { 200: { description: "it", content: { "application/json": { schema: z.object({}) } } } },
});

export const documented = new OpenAPIHono();

documented.openapi(read, async (c) => {
  await call("/read", 2200);
  return c.json({}, 200);
});
