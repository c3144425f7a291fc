// A test races on purpose, and serves nobody: nothing here is reported.
import { expect, it } from "vitest";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

it("gives up", async () => {
  await Promise.race([fetch("https://api.example.com/z", { method: "POST" }), sleep(8000)]);
  expect(true).toBe(true);
});
