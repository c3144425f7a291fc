import express from "express";

const app = express();
const call = (ms: number) => fetch("https://a.test/x", { signal: AbortSignal.timeout(ms) });

// The client waits for the end of the response: 5 s.
app.get("/timer", (req, res) => {
  setTimeout(() => res.send("x"), 5000);
});
// 1 s, and 2 s from there.
app.get("/timer-in-a-timer", (req, res) => {
  setTimeout(() => {
    setTimeout(() => res.status(202).end(), 2000);
  }, 1000);
});
// 5 s, and a call of 2 s.
app.get("/timer-that-calls", (req, res) => {
  setTimeout(async () => {
    await call(2000);
    res.json({});
  }, 5000);
});
// At the next turn, then a call of 2 s.
app.get("/next-turn", (req, res) => {
  setImmediate(async () => {
    await call(2000).catch(() => null);
    res.end();
  });
});
// 4 s on one path, at once on the other.
app.get("/on-one-path", (req, res) => {
  if (req.query.slow) setTimeout(() => res.send("x"), 4000);
  else res.send("y");
});
// The handler answers on every path within 2 s: the timer finds an answer that was sent.
app.get("/guarded", async (req, res) => {
  setTimeout(() => {
    if (!res.headersSent) res.status(503).end();
  }, 30_000);
  await call(2000).catch(() => null);
  res.json({});
});
// It is cleared however the call ends.
app.get("/cleared", async (req, res) => {
  const timer = setTimeout(() => res.status(503).end(), 30_000);
  try {
    await call(2000);
  } finally {
    clearTimeout(timer);
  }
});
// Where the call fails nobody answers before the timer: 30 s.
app.get("/answered-by-the-timer", async (req, res) => {
  setTimeout(() => res.status(503).end(), 30_000);
  try {
    await call(2000);
    res.json({});
  } catch (error) {
    console.error(error);
  }
});
// Both ways on from the call answer: 2 s.
app.get("/answered-by-the-chain", (req, res) => {
  setTimeout(() => res.end(), 9000);
  call(2000).then(
    () => res.json({}),
    () => res.json({}),
  );
});
// A timer that writes no answer.
app.get("/log", (req, res) => {
  setTimeout(() => console.log("x"), 5000);
  res.send("x");
});
