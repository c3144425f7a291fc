async function load(left = 2): Promise<Response> {
  const response = await fetch("https://a.test/x", { signal: AbortSignal.timeout(2000) });
  if (response.status >= 500 && left > 0) return load(left - 1);
  return response;
}

// Three calls of 2 s: whatever the status, the third is the last.
// worst: 6 s
export async function GET() {
  try {
    await load();
  } catch {}
  return new Response("x");
}
