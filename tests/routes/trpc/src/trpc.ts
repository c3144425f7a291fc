import { initTRPC } from "@trpc/server";
import { tracing } from "trpc-tracing";
import { call } from "./remote";

const t = initTRPC.context<{ user: string }>().create();

export const { router, mergeRouters } = t;
export const publicProcedure = t.procedure;

const signedIn = t.middleware(async ({ ctx, next }) => {
  const user = await call("/session", 1000);
  return next({ ctx: { ...ctx, user, slow: () => call("/slow", 6000) } });
});

export const protectedProcedure = t.procedure.use(signedIn).use(async ({ next }) => {
  const result = await next();
  await call("/log", 500);
  return result;
});

export const tracedProcedure = t.procedure.use(tracing({ results: true }));

const inContext = t.middleware(async (opts) => {
  const raw = await opts.getRawInput();
  return tracing.with(raw, () => opts.next());
});

export const contextProcedure = t.procedure.use(inContext);
