/** A call of `ms` milliseconds at most, its body included. */
export const call = (ms: number, url = "https://a.test/x") => fetch(url, { signal: AbortSignal.timeout(ms) });

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function makeCall(ms: number) {
  return async (url: string) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(ms) });
    return response.json();
  };
}

export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function retry<T>(work: () => Promise<T>, { times = 3, base = 1_000 }: { times?: number; base?: number } = {}): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= times) throw error;
      await sleep(base * 2 ** attempt);
    }
  }
}

export class Service {
  static readonly ceiling = 9_000;
  #limit: number;
  protected path = "https://a.test/service";
  constructor(private readonly options: { limit?: number } = {}) {
    this.#limit = options.limit ?? 3_000;
  }
  get limit() {
    return Math.min(this.#limit, Service.ceiling);
  }
  async load() {
    return this.send();
  }
  protected send() {
    return call(this.limit, this.path);
  }
}

export class SlowService extends Service {
  constructor() {
    super({ limit: 60_000 });
  }
  override async load() {
    const first = await super.load();
    await call(1_000);
    return first;
  }
}

export const shared = new Service({ limit: 8_000 });

export function withAuth(handler: (request: Request, user: string) => Promise<Response>) {
  return async (request: Request) => {
    const user = await call(4_000);
    if (!user.ok) return new Response(null, { status: 401 });
    return handler(request, await user.text());
  };
}
