import { call } from "../../../lib/remote";

export async function generateMetadata() {
  await call("/title", 1000);
  return { title: "shop" };
}

export default async function Page() {
  await call("/shop", 2000);
  return <p>shop</p>;
}
