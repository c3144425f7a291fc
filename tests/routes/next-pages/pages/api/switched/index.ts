import { call } from "../../../lib/remote";

export default async function handler(req, res) {
  switch (req.method) {
    case "GET":
      await call("/read", 1000);
      return res.json([]);
    case "PUT":
      await call("/write", 3000);
      return res.status(204).end();
    case "DELETE":
      return res.status(405).end();
    default:
      res.status(405).end();
  }
}
