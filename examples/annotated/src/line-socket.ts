import { connect, type Socket } from "node:net";

interface Waiting {
  resolve: (line: string) => void;
  reject: (error: Error) => void;
}

/**
 * One connection over which a question is a line and its answer is the next line.
 *
 * Answers are handed out by an event, far from the place that waits for them: how long `ask`
 * takes cannot be read from this code.
 */
export class LineSocket {
  private readonly socket: Socket;
  private readonly waiting: Waiting[] = [];
  private received = "";

  constructor(host: string, port: number) {
    this.socket = connect({ host, port });
    this.socket.setEncoding("utf8");
    this.socket.on("data", (text: string) => this.receive(text));
    this.socket.on("error", (error) => this.fail(error));
    this.socket.on("close", () => this.fail(new Error("connection closed")));
  }

  ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.socket.write(`${line}\n`);
    });
  }

  close(): void {
    this.socket.end();
  }

  private receive(text: string): void {
    this.received += text;
    const lines = this.received.split("\n");
    this.received = lines.pop() ?? "";
    for (const line of lines) this.waiting.shift()?.resolve(line);
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
