import { call } from "@/lib/remote";

export async function GET() {
  await call("/first", 1000);
  const stream = new ReadableStream({
    async start(controller) {
      await call("/rest", 9000);
      controller.close();
    },
  });
  return new Response(stream);
}
