// worst: 4 s
import { call } from "@/lib/http";

/** Whether it is a text is not known: the test may go either way, 2 s + 2 s. */
export async function GET() {
  const data = await (await call(2_000)).json();
  const first = data.name.slice(0, 3);
  if (first === "abc") await call(1_000);
  else await call(2_000);
  return Response.json({ first: `${first}` });
}
