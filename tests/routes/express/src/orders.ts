import { Router } from "express";
import { call } from "./remote";

export const orders = Router();

orders.get("/", async (req, res) => {
  await call("/orders", 2000);
  res.json([]);
});

if (process.env.WITH_EXPORT) {
  orders.get("/export", async (req, res) => {
    await call("/export", 4000);
    res.end();
  });
}
