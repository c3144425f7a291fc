import { call } from "@/lib/remote";

type Node = { id: string; children: Node[] };

/** Places itself for each child of data: nothing says how deep. */
async function Comment({ node }: { node: Node }) {
  await call(`/comment/${node.id}`, 200);
  return (
    <li>
      {node.children.map((child) => (
        <Comment key={child.id} node={child} />
      ))}
    </li>
  );
}

export default async function Page() {
  const root = await call("/root", 1000).then((response) => response.json());
  return <Comment node={root} />;
}
