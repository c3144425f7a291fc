"use server";

import { call } from "../lib/remote";

export async function save(form: FormData) {
  await call("/save", 7000);
}

export const remove = async (id: string) => call(`/remove/${id}`, 8000);
