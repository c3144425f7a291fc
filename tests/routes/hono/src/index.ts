import { Hono } from "hono";
import { timeout } from "hono/timeout";
import { cors } from "hono/cors";
import { call } from "./remote";
import { documented } from "./documented";
import { register } from "./register";

const orders = new Hono()
  .use(async (c, next) => {
    c.set("user", await call("/session", 1000));
    await next();
  })
  .get("/", async (c) => {
    await call("/orders", 2000);
    return c.json([]);
  })
  .get("/:id", async (c) => {
    await call("/order", 3000);
    return c.json({});
  });

const app = new Hono().basePath("/v1");

app.use("*", cors());
app.get("/open", async (c) => {
  await call("/open", 1100);
  return c.text("ok");
});
app.on(["PUT", "DELETE"], "/both", async (c) => {
  await call("/both", 1200);
  return c.body(null);
});
app.use("/slow/*", timeout(4000));
app.get("/slow/report", async (c) => {
  await call("/report", 9000);
  return c.json({});
});
app.route("/orders", orders);
app.route("/docs", documented);
register(app);

app.onError(async (error, c) => {
  await call("/report", 5000);
  return c.text("no", 500);
});

export default app;
