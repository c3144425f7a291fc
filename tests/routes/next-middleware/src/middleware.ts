import { NextResponse } from "next/server";

export async function middleware(request: Request) {
  const session = await fetch("https://auth.example.org/session", { signal: AbortSignal.timeout(1500) });
  if (!session.ok) return NextResponse.redirect(new URL("/login", request.url));
  return NextResponse.next();
}

export const config = { matcher: ["/api/private/:path*", { source: "/account" }] };
