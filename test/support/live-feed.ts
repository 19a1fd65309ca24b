// A sidecar's admin port that says on its live feed what a test wants, when the test wants it.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Signal } from './signal.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export class FakeFeed {
  /** Connections that were made so far. */
  watcherCount = 0;
  /** What is said to whoever connects, before anything else. */
  greeting: readonly (readonly [event: string, data: unknown])[] = [];
  /** In place of a feed. */
  answer: Answer | undefined;
  readonly #signal = new Signal();
  readonly #server: Server;
  readonly #watchers = new Set<ServerResponse>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.watcherCount += 1;
      const answer =
        request.url === '/api/live' ? this.answer : { status: 404, type: 'text/plain', text: 'no such page' };
      if (answer !== undefined) {
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
        response.flushHeaders();
        this.#watchers.add(response);
        response.on('close', () => {
          this.#watchers.delete(response);
          this.#signal.notify();
        });
        for (const [event, data] of this.greeting) this.#write(response, event, data);
      }
      this.#signal.notify();
    });
  }

  static async start(port = 0): Promise<FakeFeed> {
    const feed = new FakeFeed();
    await new Promise<void>((resolve, reject) => {
      feed.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return feed;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openCount(): number {
    return this.#watchers.size;
  }

  send(event: string, data: unknown): void {
    for (const watcher of this.#watchers) this.#write(watcher, event, data);
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return this.#signal.until(what, holds, 15_000);
  }

  /** Cuts every connection and listens no more. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #write(watcher: ServerResponse, event: string, data: unknown): void {
    watcher.write(`event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
}
