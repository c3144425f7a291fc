import { call } from "../lib/remote";

async function subscribe() {
  "use server";
  await call("/subscribe", 1000);
}

export const Form = () => <form action={subscribe} />;
