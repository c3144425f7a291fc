import { call } from "@/lib/remote";
import { Part } from "@/parts/parts";

/** Each end with what it places itself: 3 s + 9 s, and 3 s + 2 s + 1 s. */
export default async function Page() {
  const session = await call("/session", 3000);
  if (!session.ok) return <Part name="login" ms={9000} />;
  await call("/data", 2000);
  return <Part name="data" ms={1000} />;
}
