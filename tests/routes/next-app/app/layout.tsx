import { call } from "../lib/remote";

export default async function Layout({ children }: { children: unknown }) {
  await call("/layout", 6000);
  return <main>{children}</main>;
}
