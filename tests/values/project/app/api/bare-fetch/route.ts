// worst: 310 s
export async function GET() {
  await fetch("https://a.test/x");
}
