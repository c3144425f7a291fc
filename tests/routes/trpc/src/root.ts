import { z } from "zod";
import { call } from "./remote";
import { mergeRouters, contextProcedure, protectedProcedure, publicProcedure, router, tracedProcedure } from "./trpc";

const orders = router({
  list: publicProcedure.query(async () => {
    return await call("/list", 2000);
  }),
  create: protectedProcedure.input(z.object({ id: z.string() })).mutation(async ({ ctx, input }) => {
    await call(`/create/${input.id}`, 3000);
    return input.id;
  }),
  context: contextProcedure.query(async () => {
    return await call("/context", 3500);
  }),
  traced: tracedProcedure.query(async () => {
    return await call("/traced", 2500);
  }),
  slow: protectedProcedure.query(async ({ ctx }) => ctx.slow()),
});

const extra = router({ ping: publicProcedure.query(() => "pong") });

export const appRouter = mergeRouters(router({ orders, nested: { deep: publicProcedure.query(() => call("/deep", 1500)) } }), extra);
