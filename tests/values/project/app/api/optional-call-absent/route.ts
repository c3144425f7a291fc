// worst: 0 s
export async function GET() {
  const options: { before?: () => Promise<unknown> } = {};
  await options.before?.();
}
