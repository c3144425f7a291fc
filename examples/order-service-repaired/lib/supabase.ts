import { createClient } from "@supabase/supabase-js";
import { headers } from "next/headers";

import type { Database } from "@/lib/database.types";
import { fetchWithTimeout } from "@/lib/fetch-with-timeout";
import { SUPABASE_TIMEOUT_MS } from "@/lib/limits";

/** What a client is for; it decides how long each of its requests may take. */
export type ClientKind = "read" | "write";

const url = required("SUPABASE_URL", process.env.SUPABASE_URL);
const anonKey = required("SUPABASE_ANON_KEY", process.env.SUPABASE_ANON_KEY);
const serviceRoleKey = required("SUPABASE_SERVICE_ROLE_KEY", process.env.SUPABASE_SERVICE_ROLE_KEY);

function required(name: string, value: string | undefined): string {
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function clientOptions(limitMs: number, authorization: string | null = null) {
  return {
    // A server keeps nobody's session: the caller's token comes with each request.
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      fetch: fetchWithTimeout(limitMs),
      headers: authorization ? { Authorization: authorization } : undefined,
    },
  };
}

/** Acts as the signed-in user: row level security applies. */
export async function createSupabaseServerClient(kind: ClientKind = "read") {
  const authorization = (await headers()).get("authorization");
  const options = clientOptions(SUPABASE_TIMEOUT_MS[kind], authorization);
  return createClient<Database>(url, anonKey, options);
}

/** Reads what everybody may see. */
export function createSupabasePublicClient() {
  return createClient<Database>(url, anonKey, clientOptions(SUPABASE_TIMEOUT_MS.read));
}

/** Passes row level security by: for what the server itself has checked. */
export function createSupabaseAdminClient(kind: ClientKind = "read") {
  return createClient<Database>(url, serviceRoleKey, clientOptions(SUPABASE_TIMEOUT_MS[kind]));
}

/** Asks the auth server who a token belongs to, and nothing else. */
export function createSupabaseAuthClient() {
  return createClient<Database>(url, anonKey, clientOptions(SUPABASE_TIMEOUT_MS.auth));
}

/** One admin client for the process, for small writes such as counters. */
export const supabaseAdmin = createClient<Database>(
  url,
  serviceRoleKey,
  clientOptions(SUPABASE_TIMEOUT_MS.write),
);
