import { Suspense, type ComponentType, type ReactNode } from "react";

import { call } from "@/lib/remote";

/** `ms` long. */
export async function Part({ name, ms }: { name: string; ms: number }) {
  await call(`/${name}`, ms);
  return <p>{name}</p>;
}

/** Waits for 2 s, then places what it is given. */
export async function Frame({ children, icon }: { children?: ReactNode; icon?: ReactNode }) {
  await call("/frame", 2000);
  return (
    <section>
      {icon}
      <Suspense fallback={<p>loading</p>}>{children}</Suspense>
    </section>
  );
}

/** Places what it is given at once. */
export const Box = ({ children }: { children: ReactNode }) => <div>{children}</div>;

/** Places nothing of what it is given. */
export const Deaf = (_: { children?: ReactNode; onClick?: () => Promise<void> }) => <hr />;

/** Calls a function that gives what to place. */
export async function Each({ ids, render }: { ids: string[]; render: (id: string) => ReactNode }) {
  await call("/each", 500);
  return <ul>{ids.map((id) => render(id))}</ul>;
}

/** A component that it is given. */
export const As = ({ component: Component }: { component: ComponentType<{ name: string; ms: number }> }) => (
  <Component name="as" ms={700} />
);
