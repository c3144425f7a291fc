import express, { Router } from "express";
import cors from "cors";
import { call } from "./remote";
import { orders } from "./orders";
import { controller } from "./controller";
import { caught } from "./caught";

const app = express();

app.get("/before", (req, res) => res.send("ok"));
app.use(express.json());
app.use(cors());
app.use(async (req, res, next) => {
  await call("/session", 1000);
  next();
});
app.use("/admin", async (req, res, next) => {
  await call("/role", 500);
  next();
});
app.get("/plain", async (req, res) => {
  await call("/plain", 2000);
  res.json({});
});
app.get("/then", (req, res) => {
  call("/then", 3000).then(() => res.json({}));
});
app.get("/admin/users/:id", async (req, res) => {
  await call("/user", 2000);
  res.json({});
});
app.post(
  "/checked",
  async (req, res, next) => {
    await call("/check", 700);
    next();
  },
  caught(async (req, res) => {
    await call("/checked", 2000);
    res.json({});
  }),
);
app.route("/chained").get(controller.list).post(controller.create);
app.use("/orders", orders);
app.use("/archive", orders);

const empty = Router();
empty.all("*splat", (req, res) => res.end());
app.use(empty);

app.use((error, req, res, next) => {
  call("/report", 9000).then(() => next(error));
});

app.get("env");
app.listen(3000);
