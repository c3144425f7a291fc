import { call } from "./remote";

type Handler = (request: Request, session: unknown) => Promise<Response>;

/** Looks the session up before the handler, and logs after it. */
export function withSession(handler: Handler, options: { log?: (response: Response) => Promise<unknown> } = {}) {
  return async (request: Request) => {
    const session = await call("/session", 1000);
    if (!session.ok) return new Response(null, { status: 401 });
    const response = await handler(request, session);
    await options.log?.(response);
    return response;
  };
}
