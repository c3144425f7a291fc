import def, { named, other as renamed, type Dropped } from "pkg";
import * as space from "@scope/pkg/sub";
import type { OnlyType } from "types";
import { type A, type B } from "only-types";
import "./effect";
import {} from "./effect-too";
import legacy = require("legacy");
import Alias = space.Inner.Deep;
import json from "./data.json" with { type: "json" };

export { named, renamed as again, type Dropped };
export { default } from "./a";
export { default as b, c as d, type E } from "./b";
export * from "./all";
export * as ns from "./ns";
export type * from "./types";
export type { F } from "./f";
export const { GET, POST: PUT } = serve({ client: def });
export const one = 1, two = await load();
export async function PATCH() { await one; }
export class Exported {}
export enum Level { Low, Mid = 5, High, Text = "t", Or = Low | Mid, Call = compute(), After = 1 << 3 }
export const enum Small { A = -1, B }
export namespace Tools {
  export const limit = 5;
  const hidden = 1;
  export function run() { return limit + hidden; }
  export namespace Inner { export const deep = 2; }
  export type T = string;
}
function merged() {}
namespace merged { export const extra = 1; }
namespace Types { export type T = string; }
namespace Dotted.Path { export const x = 1; }
export import Reexported = space.Inner;
export default withAuth(async () => { await two; });
