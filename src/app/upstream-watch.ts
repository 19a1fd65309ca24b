// Whether each upstream can be reached at all: asked once at start, and again only while the answer
// is no. A plain connection that is closed at once; no request is ever made on our own account.
import net from 'node:net';
import type { Log } from '../base/log.ts';
import type { UpstreamAddress } from '../config/config.ts';

const ATTEMPT_MS = 2_000;
const RETRY_MS = 2_000;

export class UpstreamWatch {
  readonly #log: Log;
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

  /** Asks each upstream once; resolves when all have answered or failed. */
  async start(upstreams: readonly UpstreamAddress[]): Promise<void> {
    const byOrigin = new Map(upstreams.map((each) => [each.origin, each]));
    await Promise.all([...byOrigin.values()].map((each) => this.#ask(each)));
    if (this.#unreachable.size > 0 && !this.#closed) this.#retryLater([...byOrigin.values()]);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #retryLater(upstreams: readonly UpstreamAddress[]): void {
    this.#timer = setTimeout(() => {
      const waiting = upstreams.filter(({ origin }) => this.#unreachable.has(origin));
      void this.start(waiting);
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #ask({ origin, host, port }: UpstreamAddress): Promise<void> {
    const code = await attempt(host, port);
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
