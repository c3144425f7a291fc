export async function GET() {
  await fetch("https://api.example.org/open", { signal: AbortSignal.timeout(2000) });
  return Response.json({});
}
