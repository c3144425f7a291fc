function load(url: string, done: (error: unknown, data?: unknown) => void) {
  fetch(url)
    .then((response) => response.json())
    .then(
      (data) => done(null, data),
      (error) => done(error),
    );
}

// 310 s for the head and 300 s for the body, handed on by a callback.
// worst: 610 s
export async function GET() {
  const data = await new Promise((resolve, reject) => {
    load("https://a.test/x", (error, data) => {
      if (error) return reject(error);
      resolve(data);
    });
  });
  return Response.json(data);
}
