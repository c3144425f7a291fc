import { call } from "@/lib/remote";

/** 1.5 s. */
export async function Menu() {
  await call("/menu", 1500);
  return <nav>menu</nav>;
}
