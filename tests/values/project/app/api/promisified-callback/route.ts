import util from "node:util";

class Store {
  constructor(private readonly ms: number) {}
  read(key: string, done: (error: Error | null, value?: string) => void) {
    setTimeout(() => done(null, key), this.ms);
  }
}

// The callback comes after the store's 7 s.
// worst: 7 s
export async function GET() {
  const store = new Store(7000);
  const read = util.promisify(store.read.bind(store));
  return new Response(await read("x"));
}
