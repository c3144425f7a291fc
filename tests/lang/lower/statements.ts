"use server";
"use strict";

let a = 1, b: Array<string>, c: Map<string, number> = new Map();
var hoisted = 2;
export async function statements(list: string[], signal?: AbortSignal | null): Promise<void> {
  "use cache";
  if (a) return;
  if (b) { await one(); } else if (c) await two();
  else { throw new TypeError("x", { cause: a }); }
  for (let i = 0, n = list.length; i < n; i++) await load(i);
  for (;;) break;
  for (const [key, value = 1] of Object.entries(list)) { await load(key, value); }
  for (existing of list) continue;
  for await (const chunk of stream()) use(chunk);
  for (const key in list) console.log(key);
  while (await more()) { if (done) break; }
  do { await sleep(100); } while (!done);
  outer: for (const x of list) {
    for (const y of list) {
      if (x) continue outer;
      break outer;
    }
  }
  switch (await kind()) {
    case "a":
    case "b": {
      await first();
      break;
    }
    default:
      await other();
  }
  try {
    await risky();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
  } finally {
    await cleanup();
  }
  try { quiet(); } catch { recover(); }
  try { quiet(); } finally { done = true; }
  { const scoped = await inner(); }
  ;
  debugger;
  label: { break label; }
  const { data, error: { code = "x", ...details } = {}, ...rest } = await query();
  const [first, , third = await late(), ...others] = list;
  return void await last();
}

async function resources() {
  before();
  await using connection = await pool.connect(), second = await pool.connect();
  using lock = take();
  await connection.query("select 1");
  return lock;
}

function overload(x: string): void;
function overload(x: number): void;
function overload(x: unknown) { return x; }

type Dropped = { a: string };
interface AlsoDropped { b: number }
declare const external: string;
declare function elsewhere(): void;
declare global { interface Window { x: number } }
declare module "y" { export const z: number; }
