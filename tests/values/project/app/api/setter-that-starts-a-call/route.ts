import { call } from "@/lib/http";

class Page {
  loaded: Promise<Response> | undefined;
  set address(url: string) {
    this.loaded = call(6000, url);
  }
}

class Sheet extends Page {}

// The setter of the parent starts the call, which is waited for: 6 s; then that of the object
// written out: 2 s.
// worst: 8 s
export async function GET() {
  const sheet = new Sheet();
  sheet.address = "https://a.test/x";
  await sheet.loaded;
  const own = {
    loaded: undefined as Promise<Response> | undefined,
    set address(url: string) {
      this.loaded = call(2000, url);
    },
  };
  own.address = "https://a.test/y";
  await own.loaded;
  return new Response("x");
}
