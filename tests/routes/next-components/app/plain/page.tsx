"use client";

import { useEffect, useState } from "react";

import { call } from "@/lib/remote";

/** Runs in the browser: the server waits for nothing but the layout's menu. */
export default function Page() {
  const [state, setState] = useState("");
  useEffect(() => {
    call("/state", 30000).then((response) => response.text()).then(setState);
  }, []);
  return <p>{state}</p>;
}
