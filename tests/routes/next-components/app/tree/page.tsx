// A component that places itself: as many requests as the data is deep.
async function Tree({ id }: { id: string }) {
  const response = await fetch(`https://api.example.org/node/${id}`, { signal: AbortSignal.timeout(2000) });
  const node = await response.json();
  return <ul>{node.children.map((child: { id: string }) => <Tree key={child.id} id={child.id} />)}</ul>;
}

export default async function Page() {
  return <main><Tree id="root" /></main>;
}
