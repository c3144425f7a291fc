import { call } from "../../lib/remote";

export default async (req, res) => {
  await call("/any", 2500);
  res.end();
};
