import { Base } from "./base";

@Injectable({ scope: "request" })
export class Service extends Base<Options> implements Closeable {
  static instance?: Service;
  static readonly limit = 5_000;
  #secret = 1;
  declare typed: string;
  private timeout: number = Service.limit;
  load = async (id: string) => { return await this.#fetch(id); };
  [computed()] = 2;
  [key: string]: unknown;
  accessor tracked = 3;

  constructor(private readonly client: Client, protected retries = 3, plain?: string) {
    super({ client });
    this.timeout = client.timeout ?? this.timeout;
  }

  static {
    Service.instance = new Service(make());
  }

  static async create(): Promise<Service> { return new this(await connect()); }

  @Cached("5m")
  async #fetch(@Param() id: string) { return super.get(`/x/${id}`); }

  get value() { return this.#secret; }
  set value(next) { this.#secret = next; }
  async *[Symbol.asyncIterator]() { yield* await this.pages(); }
  abstract missing(): void;
  overloaded(a: string): void;
  overloaded(a: unknown) { return #secret in this; }
}

abstract class Repository<T> {
  abstract find(id: string): Promise<T>;
  async all() { return await this.find("*"); }
}

const Anonymous = class extends Service {};
const mixin = (Parent: any) => class Mixed extends Parent { async run() { await super.run(); } };
declare class Elsewhere { a: string }
