import type { User } from "@supabase/supabase-js";

import { AUTH_DEADLINE_MS } from "@/lib/limits";
import { createSupabaseAuthClient } from "@/lib/supabase";
import { DeadlineError, withDeadline } from "@/lib/with-deadline";

type Authentication =
  | { user: User; refusal: null }
  | { user: null; refusal: Response };

function refuse(status: number, error: string): Authentication {
  return { user: null, refusal: Response.json({ error }, { status }) };
}

function bearerToken(request: Request): string | null {
  const header = request.headers.get("authorization");
  return header?.startsWith("Bearer ") ? header.slice("Bearer ".length) : null;
}

/** Who sent this request, or the response that tells them why they are not let in. */
export async function authenticate(request: Request): Promise<Authentication> {
  const token = bearerToken(request);
  if (!token) return refuse(401, "sign-in required");

  const supabase = createSupabaseAuthClient();
  try {
    const { data, error } = await withDeadline(
      "authentication",
      AUTH_DEADLINE_MS,
      supabase.auth.getUser(token),
    );
    if (error?.status === 401 || error?.status === 403) return refuse(401, "sign-in required");
    if (error) return refuse(503, "sign-in is slow, try again");
    return { user: data.user, refusal: null };
  } catch (error) {
    if (error instanceof DeadlineError) return refuse(503, "sign-in is slow, try again");
    throw error;
  }
}
