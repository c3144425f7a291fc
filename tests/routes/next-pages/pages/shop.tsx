import { call } from "../lib/remote";

export async function getServerSideProps() {
  await call("/shop", 3000);
  return { props: {} };
}

export default function Shop() {
  return <p>shop</p>;
}
