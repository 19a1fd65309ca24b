// Whether each upstream can be reached at all: asked once at start, and again only while the answer
// is no. A plain connection that is closed at once; no request is ever made on our own account.
import net from 'node:net';
import type { Log } from '../base/log.ts';
import type { UpstreamAddress } from '../config/config.ts';

const ATTEMPT_MS = 2_000;
const RETRY_MS = 2_000;

export class UpstreamWatch {
  readonly #log: Log;
  /** Those that are watched, by origin. */
  #upstreams: ReadonlyMap<string, UpstreamAddress> = new Map();
  readonly #unreachable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Origins that could not be reached yet. */
  get unreachable(): readonly string[] {
    return [...this.#unreachable];
  }

  /** Watches these and no others; resolves when all that are new have answered or failed. */
  async start(upstreams: readonly UpstreamAddress[]): Promise<void> {
    const before = this.#upstreams;
    this.#upstreams = new Map(upstreams.map((each) => [each.origin, each]));
    for (const origin of this.#unreachable) if (!this.#upstreams.has(origin)) this.#unreachable.delete(origin);
    await this.#askAll([...this.#upstreams.values()].filter(({ origin }) => !before.has(origin)));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #askAll(upstreams: readonly UpstreamAddress[]): Promise<void> {
    await Promise.all(upstreams.map((each) => this.#ask(each)));
    if (this.#unreachable.size > 0 && !this.#closed) this.#retryLater();
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#askAll([...this.#unreachable].flatMap((origin) => this.#upstreams.get(origin) ?? []));
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #ask({ origin, host, port }: UpstreamAddress): Promise<void> {
    const code = await attempt(host, port);
    // Nobody may want to know any more.
    if (!this.#upstreams.has(origin)) return;
    const wasUnreachable = this.#unreachable.has(origin);
    if (code === undefined) {
      this.#unreachable.delete(origin);
      if (wasUnreachable) this.#log.info('the upstream can be reached now', { upstream: origin });
    } else if (!wasUnreachable) {
      this.#unreachable.add(origin);
      this.#log.warn('the upstream cannot be reached; requests get 502 until it can', { upstream: origin, code });
    }
  }
}

/** Undefined when a connection came about, else the code of the failure. */
function attempt(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const end = (code: string | undefined): void => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(ATTEMPT_MS, () => end('ETIMEDOUT'));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'ERROR'));
  });
}
