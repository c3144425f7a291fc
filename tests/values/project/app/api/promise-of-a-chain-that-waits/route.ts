// The head within 310 s (connect 10 s, headers 300 s), then the body: 300 s.
// worst: 610 s
export async function GET() {
  const data = await new Promise((resolve, reject) => {
    fetch("https://a.test/x")
      .then(async (response) => {
        const read = await response.json();
        resolve(read);
      })
      .catch((error) => reject(error));
  });
  return Response.json(data);
}
