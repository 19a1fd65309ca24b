// An endpoint whose answers are known: streams so many tokens at such times, and notes what it was asked for.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly class: string | undefined;
  readonly promptChars: number;
  readonly maxTokens: number;
}

export interface Behaviour {
  readonly firstMs?: number;
  readonly tokens?: number;
  readonly gapMs?: number;
  /** Of the request with this number, counted from 0; the check beforehand is number 0. */
  readonly status?: (index: number) => number;
}

export class FakeServer {
  readonly seen: Seen[] = [];
  mostAtOnce = 0;
  url = '';
  #atOnce = 0;
  readonly #behaviour: Behaviour;
  readonly #server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** Stopped by whoever looks after `open`. */
  static async start(behaviour: Behaviour, open: { stop(): Promise<void> }[]): Promise<FakeServer> {
    const server = new FakeServer(behaviour);
    await new Promise<void>((resolve) => void server.#server.listen(0, '127.0.0.1', resolve));
    server.url = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    open.push(server);
    return server;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as {
      messages: { content: string }[];
      max_tokens: number;
    };
    const index = this.seen.length;
    const name = incoming.headers['x-traffic-class'];
    this.seen.push({
      class: typeof name === 'string' ? name : undefined,
      promptChars: body.messages[0]?.content.length ?? 0,
      maxTokens: body.max_tokens,
    });
    const { status = () => 200, firstMs = 0, tokens = 2, gapMs = 5 } = this.#behaviour;
    if (status(index) !== 200) return void outgoing.writeHead(status(index)).end('{"error":{"message":"no"}}');
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let token = 0; token < tokens; token += 1) {
      await new Promise((resolve) => void setTimeout(resolve, token === 0 ? firstMs : gapMs));
      outgoing.write('data: {"choices":[{"index":0,"delta":{"content":"tick "}}]}\n\n');
    }
    this.#atOnce -= 1;
    outgoing.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
    outgoing.write(
      `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":${tokens},"total_tokens":9}}\n\n`,
    );
    outgoing.end('data: [DONE]\n\n');
  }
}
