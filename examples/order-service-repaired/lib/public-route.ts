import { DeadlineError } from "@/lib/with-deadline";

type Handler = (request: Request) => Promise<Response>;

/** For routes that anybody may call: an error becomes a plain answer, and nothing is cached. */
export function publicRoute(handler: Handler): Handler {
  return async (request) => {
    try {
      const response = await handler(request);
      response.headers.set("cache-control", "no-store");
      return response;
    } catch (error) {
      if (error instanceof DeadlineError) {
        return Response.json({ error: "busy, try again" }, { status: 503 });
      }
      console.error(error);
      return Response.json({ error: "unexpected error" }, { status: 500 });
    }
  };
}
