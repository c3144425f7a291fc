// overrun: route GET /api/x within=browser
// overrun: deadline 8s abandons
export async function GET() {
  // overrun: retry max=3 backoff=1s*2..30s on=timeout,503
  const r = await load(); // overrun: attempt 5s
  for (const item of r) { // overrun: loop 50
    await item.send();
  }
  return await db
    .from("x")
    // overrun: attempt 2s
    .select()
    .eq("a", 1);
  // overrun: deadline 1s
}
// overrun: factory kind
export const create = (kind = "read") => make(kind);
// overrun: deadlin 5s
await create();
