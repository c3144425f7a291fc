import { call } from "@/lib/http";

async function* inner() {
  yield await call(1_000);
  yield await call(1_000);
}

async function* outer() {
  yield* inner();
}

// worst: 2 s
export async function GET() {
  for await (const answer of outer()) console.log(answer);
}
