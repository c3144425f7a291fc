// worst: 5 s
export async function GET() {
  const c = new AbortController();
  const t = setTimeout(() => c.abort(), 5_000);
  try {
    const r = await fetch("https://a.test/x", { signal: c.signal });
    return await r.json();
  } finally {
    clearTimeout(t);
  }
}
