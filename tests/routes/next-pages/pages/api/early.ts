import type { NextApiRequest, NextApiResponse } from "next";
import { call } from "../../lib/remote";

export const config = { maxDuration: 20 };

export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  if (req.method !== "POST") return res.status(405).end();
  await call("/early", 2000);
  res.json({});
}
