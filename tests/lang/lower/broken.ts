export async function GET() {
  await f();
}

export async function PUT() {
  const x = = 1;
  await lost();
}

export const POST = async () => {
  await h();
};
