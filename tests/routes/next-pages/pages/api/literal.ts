import { call } from "../../lib/remote";

export default async function handler(req, res) {
  const { method } = req;
  if (method === "GET") {
    await call("/read", 1000);
    return res.json({});
  } else if (method === "PATCH") {
    await call("/write", 4000);
    return res.json({});
  }
  return res.status(405).json({});
}
