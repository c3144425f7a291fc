"use client";
export default async function Page({ params }: Props) {
  const { id } = await params;
  const user = await getUser(id);
  return (
    <Layout title={user.name} {...rest} onClick={async () => { await save(); }} icon={<Icon size={size()} />}>
      text, it's (here)
      {/* nothing */}
      {user.items.map((item) => <Item key={item.id}>{render(item)}</Item>)}
      <>
        {user && <Profile user={await load(user)} />}
        {...list}
      </>
      <ns:tag />
    </Layout>
  );
}
const generic = <T,>(x: T) => x;
