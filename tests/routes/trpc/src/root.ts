import { z } from "zod";
import { call } from "./remote";
import { mergeRouters, protectedProcedure, publicProcedure, router } from "./trpc";

const orders = router({
  list: publicProcedure.query(async () => {
    return await call("/list", 2000);
  }),
  create: protectedProcedure.input(z.object({ id: z.string() })).mutation(async ({ ctx, input }) => {
    await call(`/create/${input.id}`, 3000);
    return input.id;
  }),
  slow: protectedProcedure.query(async ({ ctx }) => ctx.slow()),
});

const extra = router({ ping: publicProcedure.query(() => "pong") });

export const appRouter = mergeRouters(router({ orders, nested: { deep: publicProcedure.query(() => call("/deep", 1500)) } }), extra);
