// A watcher of the live feed made of nothing but TCP: reads the events of `/api/live` as they are written, in order.
import { connect, type Socket } from 'node:net';
import type { LiveBeat, LiveBusy, LiveHello, LiveState } from '../../src/telemetry/live/frame.ts';
import { Signal } from './signal.ts';

export interface LiveEventData {
  readonly hello: LiveHello;
  readonly beat: LiveBeat;
  readonly state: LiveState;
  readonly busy: LiveBusy;
}

export type LiveEvent = {
  readonly [Name in keyof LiveEventData]: { readonly name: Name; readonly data: LiveEventData[Name] };
}[keyof LiveEventData];

export class LiveClient {
  readonly events: LiveEvent[] = [];
  /** Status line and fields. */
  head = '';
  /** The value of the field `retry`. */
  retryMs: number | undefined;
  /** The connection is over: cleanly, or cut. */
  end: 'fin' | 'cut' | undefined;
  readonly #signal = new Signal();
  readonly #socket: Socket;
  #text = '';

  constructor(port: number, lines: readonly string[] = ['host: localhost']) {
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text: string) => this.#onText(text));
    this.#socket.on('end', () => (this.end ??= 'fin'));
    this.#socket.on('error', () => (this.end ??= 'cut'));
    this.#socket.on('close', () => {
      this.end ??= 'cut';
      this.#signal.notify();
    });
    this.#socket.write(`GET /api/live HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }

  /** The first event of this name that matches, there already or to come. */
  async next<Name extends keyof LiveEventData>(
    name: Name,
    matches: (data: LiveEventData[Name]) => boolean = () => true,
    waitMs = 15_000,
  ): Promise<LiveEventData[Name]> {
    const find = (): LiveEvent | undefined =>
      this.events.find((event) => event.name === name && matches(event.data as LiveEventData[Name]));
    await this.#signal.until(`an event ${name}`, () => find() !== undefined || this.end !== undefined, waitMs);
    const found = find();
    if (found === undefined) throw new Error(`the feed ended (${this.end}) before that event ${name}: ${this.head}`);
    return found.data as LiveEventData[Name];
  }

  async untilEnd(waitMs = 20_000): Promise<void> {
    await this.#signal.until('the feed to end', () => this.end !== undefined, waitMs);
  }

  /** What came after the head and is no event: the body of an error. */
  get rest(): string {
    return this.#text;
  }

  names(): string[] {
    return this.events.map(({ name }) => name);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #onText(text: string): void {
    this.#text += text;
    if (this.head === '') {
      const end = this.#text.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.head = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 4);
    }
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#onBlock(block);
    this.#signal.notify();
  }

  #onBlock(block: string): void {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const [name, data, retry] = [fields.get('event'), fields.get('data'), fields.get('retry')];
    if (retry !== undefined) this.retryMs = Number(retry);
    if (name !== undefined && data !== undefined) this.events.push({ name, data: JSON.parse(data) } as LiveEvent);
  }
}

/** What a new watcher is told, as text. */
export async function firstEvents(port: number): Promise<string> {
  const client = new LiveClient(port);
  const hello = await client.next('hello');
  client.close();
  return JSON.stringify(hello);
}
