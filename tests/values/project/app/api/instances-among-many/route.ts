import { sleep } from "@/lib/http";

class Pause {
  private more = 0;
  constructor(private readonly ms: number) {}
  atMost(ms: number) {
    return new Pause(Math.min(this.ms, ms));
  }
  longer() {
    this.more = 600;
  }
  async wait() {
    await sleep(this.ms);
    await sleep(this.more);
  }
}

// Each test may leave the pause as it is or put a shorter one in its place: kept apart, that would
// be 2^24 instances. Of 300 and 200 ms the longer counts, and each of them may have been told to
// go on for 600 ms.
// worst: 900 ms
export async function GET(request: Request) {
  const { searchParams: query } = new URL(request.url);
  let pause = new Pause(300);
  if (query.has("a")) pause = pause.atMost(200);
  if (query.has("b")) pause = pause.atMost(200);
  if (query.has("c")) pause = pause.atMost(200);
  if (query.has("d")) pause = pause.atMost(200);
  if (query.has("e")) pause = pause.atMost(200);
  if (query.has("f")) pause = pause.atMost(200);
  if (query.has("g")) pause = pause.atMost(200);
  if (query.has("h")) pause = pause.atMost(200);
  if (query.has("i")) pause = pause.atMost(200);
  if (query.has("j")) pause = pause.atMost(200);
  if (query.has("k")) pause = pause.atMost(200);
  if (query.has("l")) pause = pause.atMost(200);
  if (query.has("m")) pause = pause.atMost(200);
  if (query.has("n")) pause = pause.atMost(200);
  if (query.has("o")) pause = pause.atMost(200);
  if (query.has("p")) pause = pause.atMost(200);
  if (query.has("q")) pause = pause.atMost(200);
  if (query.has("r")) pause = pause.atMost(200);
  if (query.has("s")) pause = pause.atMost(200);
  if (query.has("t")) pause = pause.atMost(200);
  if (query.has("u")) pause = pause.atMost(200);
  if (query.has("v")) pause = pause.atMost(200);
  if (query.has("w")) pause = pause.atMost(200);
  if (query.has("x")) pause = pause.atMost(200);
  if (query.has("longer")) pause.longer();
  await pause.wait();
}
