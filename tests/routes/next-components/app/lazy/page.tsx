import dynamic from "next/dynamic";
import { cloneElement, use } from "react";

import { call } from "@/lib/remote";

import { withSession } from "some-session";

import { Part } from "@/parts/parts";

const Lazy = dynamic(() => import("@/parts/menu").then((module) => module.Menu));

/** Waits for a promise that the page made: 2 s from the page's first moment on. */
function Waiting({ promise }: { promise: Promise<Response> }) {
  const response = use(promise);
  return <p>{response.status}</p>;
}

const Wrapped = withSession(async () => {
  await call("/wrapped", 600);
  return <Part name="wrapped" ms={400} />;
});

/** 1.5 s lazily, 2 s of the promise, 1 s wrapped; then 5 s of which it is not known where it is placed. */
export default function Page() {
  const promise = call("/early", 2000);
  return (
    <>
      <Lazy />
      <Waiting promise={promise} />
      <Wrapped />
      {cloneElement(<Part name="cloned" ms={5000} />)}
    </>
  );
}
