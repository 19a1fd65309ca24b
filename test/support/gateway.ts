// A gateway as people write them, in plain Node: it passes requests on and holds answers in one way. What it
// does is known, so a verdict about it can be right or wrong.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

/**
 * `passes`: each read at once · `size`: until so many bytes are there · `events`: until so many events are there ·
 * `timer`: in a beat · `until_end`: all at the end · `gzip`: through a compressor that is never told to flush.
 */
export type GatewayWay =
  | { readonly name: 'passes' | 'until_end' | 'gzip' }
  | { readonly name: 'size'; readonly bytes: number }
  | { readonly name: 'events'; readonly count: number }
  | { readonly name: 'timer'; readonly everyMs: number };

export interface GatewayOptions {
  readonly way?: GatewayWay;
  /** Fields of requests that do not go on, in lower case. */
  readonly drops?: readonly string[];
  /** Goes on with what it asked for when its client leaves. */
  readonly keepsOn?: boolean;
  /** What it puts before the body of each answer. */
  readonly says?: string;
}

const BLANK_LINE = Buffer.from('\n\n');

export class Gateway {
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true });
  /** May be changed between requests. */
  way: GatewayWay;
  drops: readonly string[];
  keepsOn: boolean;
  says: string;
  /** Where the inner listener is; requests before it is known get 503. */
  innerPort: number | undefined;
  /** Request lines that came, in order. */
  readonly asked: string[] = [];

  private constructor({ way = { name: 'passes' }, drops = [], keepsOn = false, says = '' }: GatewayOptions) {
    this.way = way;
    this.drops = drops;
    this.keepsOn = keepsOn;
    this.says = says;
    this.#server = http.createServer({ noDelay: true }, (req, res) => this.#onRequest(req, res));
  }

  static async start(options: GatewayOptions = {}): Promise<Gateway> {
    const gateway = new Gateway(options);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    this.asked.push(`${req.method} ${req.url}`);
    if (this.innerPort === undefined) {
      res.writeHead(503).end();
      return;
    }
    const headers = { ...req.headers };
    for (const name of this.drops) delete headers[name];
    const { method, url: path } = req;
    const inner = http.request({ host: '127.0.0.1', port: this.innerPort, agent: this.#agent, method, path, headers });
    inner.on('response', (answer) => deliver(answer, res, this));
    inner.on('error', () => res.destroy());
    res.on('close', () => {
      if (!this.keepsOn) inner.destroy();
    });
    req.pipe(inner);
  }
}

function deliver(
  answer: IncomingMessage,
  res: ServerResponse,
  { way, says }: { readonly way: GatewayWay; readonly says: string },
): void {
  answer.on('error', () => res.destroy());
  const { statusCode = 502, headers } = answer;
  if (way.name === 'gzip') {
    const { 'content-length': _, ...rest } = headers;
    res.writeHead(statusCode, { ...rest, 'content-encoding': 'gzip' });
    res.flushHeaders();
    answer.pipe(createGzip()).pipe(res);
    return;
  }
  res.writeHead(statusCode, headers);
  if (way.name !== 'until_end') res.flushHeaders();
  if (says !== '') res.write(says);
  if (way.name === 'passes') {
    answer.pipe(res);
    return;
  }
  let held = Buffer.alloc(0);
  const release = (bytes: number): void => {
    if (bytes > 0) res.write(held.subarray(0, bytes));
    held = held.subarray(bytes);
  };
  const timer = way.name === 'timer' ? setInterval(() => release(held.length), way.everyMs) : undefined;
  answer.on('data', (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    release(dueBytes(held, way));
  });
  answer.on('end', () => {
    release(held.length);
    res.end();
  });
  answer.on('close', () => clearInterval(timer));
}

/** How much of what is held has its time now. */
function dueBytes(held: Buffer, way: GatewayWay): number {
  if (way.name === 'size') return held.length - (held.length % way.bytes);
  if (way.name !== 'events') return 0;
  let count = 0;
  let due = 0;
  for (let end = held.indexOf(BLANK_LINE); end !== -1; end = held.indexOf(BLANK_LINE, end + 2)) {
    count += 1;
    if (count % way.count === 0) due = end + BLANK_LINE.length;
  }
  return due;
}
