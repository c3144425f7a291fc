import { base, type Options } from "./limits";

const text = "a\u0041";
const template = `${base}/api/${text}?x=${1 + 2}`;
const plain = `no values`;
const numbers = [1, 1_000, 0x10, 1e3, .5, 10n, -1, Infinity];
const holes = [1, , 3, ...numbers];
const object = {
  a: 1,
  "b-c": 2,
  3: three,
  [`d`]: 4,
  [key()]: 5,
  text,
  ...(flag ? { retries: 3 } : {}),
  method() { return this.a; },
  async load(url: string) { return await fetch(url); },
  *items() { yield 1; yield* other(); },
  async *pages() { yield await page(); },
  arrow: async (x) => await x,
  get limit() { return 5 * 1000; },
  set limit(value) { this.a = value; },
  [Symbol.asyncIterator]: async function* () { yield await 1; },
};
const member = object.a.b["c"][0][text];
const chain = object?.a.b?.["c"]?.(1).d;
const apart = (object?.a).b;
const asserted = (object as unknown as Options).a! satisfies number;
const old = <Options>object;
const generic = make<string>;
const called = make<string>(1, ...numbers);
const logic = (a && b || c) ?? await d();
const choice = test ? await left() : right;
const waited = await Promise.all([load(1), load(2)]);
const sequence = (first(), await second());
const negated = !a, minus = -b, plus = +c, kind = typeof window, nothing = void 0, bits = ~d;
const compare = a === b, differs = a != b, less = a < b, within = "x" in object, of = a instanceof Error;
const power = 2 ** 3 % 4 << 1 >>> 2;
const made = new Client({ timeout: 5_000 });
const bare = new Client;
const tagged = sql`select ${id} from ${table}`;
const lazy = await import("./lazy");
const withOptions = import("./data.json", { with: { type: "json" } });
const pattern = /a`(["/]b/g;
const url = import.meta.env.API_URL;
const none = undefined ?? null;
let count = 0;
count++;
--count;
object.a += 2;
object.b ??= await fallback();
object[text] = count = 3;
({ a: count, b: object.c, d: [count, ...rest], e = 5, ...others } = object);
[count, object.a = 7] = numbers;
delete object.a;
const named = function inner() { return inner; };
const nested = cond ? () => 1 : () => 2;
const required = require("node:fs").promises;
