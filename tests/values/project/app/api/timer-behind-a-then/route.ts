// worst: 1.2 s
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export async function GET() {
  await fetch("https://api.example.org/a", { signal: AbortSignal.timeout(1000) }).then(() => sleep(200));
  return new Response("x");
}
