import type { ReactNode } from "react";

import { call } from "@/lib/remote";
import { Menu } from "@/parts/menu";

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html>
      <body>
        <Menu />
        <main>{children}</main>
      </body>
    </html>
  );
}

/** Beside the page and the layout. */
export async function generateMetadata() {
  await call("/site", 2500);
  return { title: "site" };
}
