// worst: 610 s
export async function GET() {
  const r = await fetch("https://a.test/x"); return r.json();
}
