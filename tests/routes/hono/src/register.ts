import type { Hono } from "hono";
import { call } from "./remote";

export function register(app: Hono) {
  app.post("/registered", async (c) => {
    const body = await c.req.json();
    await call(`/registered/${body.id}`, 1300);
    return c.json({});
  });
}
