import { Icon } from "some-icons";

import { call } from "@/lib/remote";
import { Button, Never } from "@/parts/button";
import { As, Box, Deaf, Each, Frame, Part } from "@/parts/parts";

export async function generateMetadata() {
  await call("/title", 1000);
  return { title: "shop" };
}

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const item = await call(`/item/${id}`, 4000);
  if (!item.ok) return <Part name="missing" ms={100} />;
  const rows = await item.json();
  return (
    <main onClick={async () => { await call("/never", 30000); }}>
      <h1>
        <Part name="head" ms={1000} />
      </h1>
      {/* 2 s of the frame, then the longer of 3 s and 1 s */}
      <Frame icon={<Part name="icon" ms={1000} />}>
        <Box>
          <Part name="inner" ms={3000} />
        </Box>
      </Frame>
      {rows.map((row: { name: string }) => (
        <Part key={row.name} name={row.name} ms={4500} />
      ))}
      <Each ids={["a", "b"]} render={(id) => <Part name={id} ms={250} />} />
      <As component={Part} />
      <Button>
        <Part name="button" ms={300} />
      </Button>
      <Never />
      <Icon size={4} />
      <Deaf onClick={async () => { await call("/never", 20000); }} />
    </main>
  );
}
