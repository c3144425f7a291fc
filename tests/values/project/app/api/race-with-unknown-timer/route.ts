// worst: 310 s
export async function GET() {
  await Promise.race([
    fetch("https://api.example.org/a"),
    new Promise((_, fail) => setTimeout(() => fail(new Error("slow")), Number(process.env.SLOW_MS))),
  ]);
  return new Response("x");
}
