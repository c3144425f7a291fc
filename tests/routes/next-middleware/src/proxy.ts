export async function proxy() {
  await fetch("https://api.example.org/proxy", { signal: AbortSignal.timeout(9000) });
}
