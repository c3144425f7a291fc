const call = (path: string, ms: number) =>
  fetch(`https://api.example.org${path}`, { signal: AbortSignal.timeout(ms) });

export const jobs = {
  async run() {
    await call("/run", 2000);
  },
};

// overrun: route TASK nightly
async function nightly() {
  await call("/nightly", 3000);
}

// overrun: route WS /live
export const live = async (socket: unknown) => {
  await call("/live", 1000);
};

nightly();
