import { call } from "./remote";

export async function list() {
  await call("/list", 3000);
  return Response.json([]);
}

export const handlers = { GET: list, POST: async () => Response.json(await call("/create", 4000)) };
