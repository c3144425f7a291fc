export function defaults({ timeout = 5000, retries = 3, ...rest }: Options = {}, ...others: number[]) {
  return timeout + retries;
}
const arrow = async ({ signal }: { signal?: AbortSignal }) => fetch("/x", { signal });
const curried = (ms: number) => <T,>(work: () => Promise<T>): Promise<T> => Promise.race([work(), timer(ms)]);
const body = () => ({ a: 1 });
function* generator() { const x = yield 1; yield* [x]; }
async function* pages(cursor?: string) {
  do {
    const page = await load(cursor);
    yield page.items;
    cursor = page.next;
  } while (cursor);
}
export const withTimeout = <T>(promise: Promise<T>, ms = 8000, message?: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
export const handler = withAuth(async (req, { params: { id } }) => {
  const { data } = await supabase.from("orders").select("*").eq("id", id).single();
  return Response.json(data);
});
handlers.GET = async function () { return await this.load(); };
const immediately = (async () => { await start(); })();
const withThis = function (this: Window, a: string) { return arguments.length; };
function nested() {
  async function inner() { await a(); return async () => { await b(); }; }
  return inner;
}
const inDefault = (load = async () => await c()) => load();
const typed = (a: string | null, b: readonly Stripe.Event[], c: Promise<Array<User>>, d: typeof client, e: "x" | "y", f: [A, B], g: import("./x").Y<Z>): asserts a is string => {};
