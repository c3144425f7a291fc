import { call } from "@/lib/http";

// worst: 4 s
export async function GET() {
  await new Promise((resolve, reject) => {
    const t = setTimeout(() => reject(new Error("late")), 4_000);
    call(9_000).then(
      (r) => {
        clearTimeout(t);
        resolve(r);
      },
      reject,
    );
  });
}
