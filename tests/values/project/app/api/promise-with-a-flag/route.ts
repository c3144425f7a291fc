// By hand what a race is: the timer rejects after 5 s whatever the call does.
// worst: 5 s
export async function GET() {
  const answer = await new Promise<Response>((resolve, reject) => {
    let settled = false;
    const timer = setTimeout(() => {
      if (!settled) {
        settled = true;
        reject(new Error("late"));
      }
    }, 5000);
    fetch("https://a.test/x")
      .then((response) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        resolve(response);
      })
      .catch((error) => {
        clearTimeout(timer);
        reject(error);
      });
  }).catch(() => null);
  return new Response(String(answer?.status));
}
