// Races against a timer that resolves. Each function says in its first line whether silence is
// taken for an answer.
import { withPatience } from "./patience";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const post = (path: string) => fetch(`https://api.example.com/${path}`, { method: "POST" });
const LATE = Symbol("late");

export async function ignored() {
  // Fires: nobody looks at what came.
  await Promise.race([post("a"), sleep(8000)]);
  return "thank you";
}

export async function absent() {
  // Told apart.
  const answer = await Promise.race([post("b"), sleep(8000).then(() => undefined)]);
  return answer?.ok === true;
}

export async function settledByHand() {
  // Told apart.
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = await Promise.race([
      post("c"),
      new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), 8000);
      }),
    ]);
    if (!answer) return "not known";
    return "thank you";
  } finally {
    clearTimeout(timer);
  }
}

export async function coalesced() {
  // Told apart.
  return (await Promise.race([post("d"), sleep(8000).then(() => null)])) ?? "not known";
}

export async function symbol() {
  // Told apart.
  const answer = await Promise.race([post("e"), sleep(8000).then(() => LATE)]);
  if (answer === LATE) throw new Error("late");
  return "thank you";
}

export async function tagged() {
  // Told apart: the tag of an answer is another one.
  const answer = await Promise.race([
    post("f").then((value) => ({ kind: "answer", value })),
    sleep(8000).then(() => ({ kind: "late" })),
  ]);
  return answer.kind === "late" ? "not known" : "thank you";
}

export async function sameTag() {
  // Fires: the timer's value passes the test that an answer passes.
  const answer = await Promise.race([
    post("g").then((response) => response.json()),
    sleep(8000).then(() => ({ status: "received" })),
  ]);
  if (answer.status === "received") return "thank you";
  return "refused";
}

export async function successFlag() {
  // Fires: `ok` of the timer's value is true.
  const answer = await Promise.race([post("h"), sleep(8000).then(() => ({ ok: true }))]);
  if (answer.ok) return "thank you";
  return "refused";
}

export async function failureFlag() {
  // Told apart: `ok` of the timer's value is false.
  const answer = await Promise.race([post("i"), sleep(8000).then(() => ({ ok: false }))]);
  if (answer.ok) return "thank you";
  return "not known";
}

export async function bothFalse() {
  // Fires: what is posted gives nothing either, and the test cannot tell.
  const answer = await Promise.race([
    post("j").then(() => undefined),
    sleep(8000).then(() => undefined),
  ]);
  if (answer) return "refused";
  return "thank you";
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  // Told apart by the one that calls it.
  return Promise.race([work, sleep(ms).then(() => undefined)]);
}

export async function calls() {
  const answer = await within(post("k"), 8000);
  if (answer === undefined) return "not known";
  return "thank you";
}

async function within2<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  // Fires: one of the two that call it does not look.
  return Promise.race([work, sleep(ms).then(() => undefined)]);
}

export async function looks() {
  const answer = await within2(post("l"), 8000);
  return answer ? "thank you" : "not known";
}

export async function doesNotLook() {
  await within2(post("m"), 8000);
  return "thank you";
}

export async function chained() {
  // Told apart in the callback.
  return Promise.race([post("n"), sleep(8000).then(() => undefined)]).then((answer) => {
    return answer === undefined ? "not known" : "thank you";
  });
}

export async function patient() {
  const answer = await withPatience(post("o"));
  if (answer === undefined) return "not known";
  return "thank you";
}

export async function allowed() {
  // overrun: allow(timeout-as-success) reason="a ping that nobody counts on"
  await Promise.race([post("p"), sleep(8000)]);
}
