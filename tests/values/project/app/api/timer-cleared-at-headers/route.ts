// worst: 305 s
export async function GET() {
  const c = new AbortController();
  const t = setTimeout(() => c.abort(), 5_000);
  let r: Response;
  try {
    r = await fetch("https://a.test/x", { signal: c.signal });
  } finally {
    clearTimeout(t);
  }
  return r.json();
}
