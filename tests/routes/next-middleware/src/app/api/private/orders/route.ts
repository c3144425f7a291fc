export async function GET() {
  await fetch("https://api.example.org/orders", { signal: AbortSignal.timeout(2000) });
  return Response.json({});
}
