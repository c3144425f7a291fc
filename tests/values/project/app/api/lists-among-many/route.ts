import { sleep } from "@/lib/http";

const waits = [{ ms: 100 }, { ms: 300 }, { ms: 200 }];

// Each test may leave the list as it is or put a part of it in its place: kept apart, that would
// be 2^24 lists. Whichever it is, its first item is one of the three, and 300 ms the longest.
// worst: 300 ms
export async function GET(request: Request) {
  const { searchParams: query } = new URL(request.url);
  let left = waits;
  if (query.has("a")) left = left.filter((wait) => wait.ms !== Number(query.get("a")));
  if (query.has("b")) left = left.filter((wait) => wait.ms !== Number(query.get("b")));
  if (query.has("c")) left = left.filter((wait) => wait.ms !== Number(query.get("c")));
  if (query.has("d")) left = left.filter((wait) => wait.ms !== Number(query.get("d")));
  if (query.has("e")) left = left.filter((wait) => wait.ms !== Number(query.get("e")));
  if (query.has("f")) left = left.filter((wait) => wait.ms !== Number(query.get("f")));
  if (query.has("g")) left = left.filter((wait) => wait.ms !== Number(query.get("g")));
  if (query.has("h")) left = left.filter((wait) => wait.ms !== Number(query.get("h")));
  if (query.has("i")) left = left.filter((wait) => wait.ms !== Number(query.get("i")));
  if (query.has("j")) left = left.filter((wait) => wait.ms !== Number(query.get("j")));
  if (query.has("k")) left = left.filter((wait) => wait.ms !== Number(query.get("k")));
  if (query.has("l")) left = left.filter((wait) => wait.ms !== Number(query.get("l")));
  if (query.has("m")) left = left.filter((wait) => wait.ms !== Number(query.get("m")));
  if (query.has("n")) left = left.filter((wait) => wait.ms !== Number(query.get("n")));
  if (query.has("o")) left = left.filter((wait) => wait.ms !== Number(query.get("o")));
  if (query.has("p")) left = left.filter((wait) => wait.ms !== Number(query.get("p")));
  if (query.has("q")) left = left.filter((wait) => wait.ms !== Number(query.get("q")));
  if (query.has("r")) left = left.filter((wait) => wait.ms !== Number(query.get("r")));
  if (query.has("s")) left = left.filter((wait) => wait.ms !== Number(query.get("s")));
  if (query.has("t")) left = left.filter((wait) => wait.ms !== Number(query.get("t")));
  if (query.has("u")) left = left.filter((wait) => wait.ms !== Number(query.get("u")));
  if (query.has("v")) left = left.filter((wait) => wait.ms !== Number(query.get("v")));
  if (query.has("w")) left = left.filter((wait) => wait.ms !== Number(query.get("w")));
  if (query.has("x")) left = left.filter((wait) => wait.ms !== Number(query.get("x")));
  const first = left[0];
  if (first) await sleep(first.ms);
}
