import { call } from "@/lib/http";

const local = { slow: () => call(4000) };
const api: any = new Proxy(local, {
  get(target, name, receiver) {
    if (name in target) return Reflect.get(target, name, receiver);
    return () => call(3000, `https://a.test/${String(name)}`);
  },
});
const logged: any = new Proxy(() => call(1000), {
  apply(target, self, args) {
    return Reflect.apply(target, self, args);
  },
});

// The target's own method: 4 s; one that the proxy makes up: 3 s; the function behind the other: 1 s.
// worst: 8 s
export async function GET() {
  await api.slow();
  await api.users();
  await logged();
  return new Response("x");
}
