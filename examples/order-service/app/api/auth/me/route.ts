import { authenticate } from "@/lib/authenticate";
import { createSupabaseServerClient } from "@/lib/supabase";

export const runtime = "edge";

export async function GET(request: Request) {
  const { user, refusal } = await authenticate(request);
  if (refusal) return refusal;

  const supabase = await createSupabaseServerClient();
  const { data: profile, error } = await supabase
    .from("profiles")
    .select("name, phone, grade")
    .eq("id", user.id)
    .maybeSingle();
  if (error) return Response.json({ error: "profile not available" }, { status: 503 });

  return Response.json({ id: user.id, email: user.email, profile });
}
