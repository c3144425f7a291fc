import { call } from "@/lib/http";

// worst: 6 s
export async function GET() {
  async function* pages() {
    yield await call(2_000);
    yield await call(4_000);
  }
  for await (const page of pages()) void page;
}
