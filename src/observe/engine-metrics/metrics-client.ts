// Asks engines for pages and lists: one GET, bounded in time and bytes, and every way in which it can
// fail as a value. Never follows a redirect, for a page that is elsewhere may be anybody's.
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { HEAD_MAX_BYTES, UPSTREAM_KEEP_ALIVE_MS } from '../../base/limits.ts';
import { POLL_TIMEOUT_MS } from '../../base/poll-limits.ts';
import type { PollFault } from '../../judge/engine-state.ts';

export interface ClientOptions {
  /** PEM text of authorities to trust, and whether certificates are verified at all. */
  readonly caPem: string | undefined;
  readonly insecure: boolean;
}

export interface Question {
  readonly url: string;
  readonly maxBytes: number;
  /** Given the decoded body piece by piece. */
  readonly onText: (text: string) => void;
}

/** Undefined when the whole body was read. `status` is there when an answer came. */
export interface Failure {
  readonly fault: PollFault;
  readonly status?: number;
  /** For the log: an errno or the name of the error, never a text from the wire. */
  readonly code?: string;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** Statuses by which servers say that there is nothing of the kind, or not for us. */
const ABSENT = new Set([401, 403, 404, 405, 410, 501]);
const NOT_ACCEPTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const TOO_LATE = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ABORT_ERR']);

class TooLarge extends Error {}

export class MetricsClient {
  readonly #agent: Agent;

  constructor({ caPem, insecure }: ClientOptions) {
    this.#agent = new Agent({
      // A page and a list of one engine may be asked for at once; nothing is asked for twice at a time.
      connections: 4,
      pipelining: 1,
      keepAliveTimeout: UPSTREAM_KEEP_ALIVE_MS,
      keepAliveMaxTimeout: UPSTREAM_KEEP_ALIVE_MS,
      headersTimeout: POLL_TIMEOUT_MS,
      bodyTimeout: POLL_TIMEOUT_MS,
      maxHeaderSize: HEAD_MAX_BYTES,
      allowH2: false,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        rejectUnauthorized: !insecure,
        // As on the way of traffic: authorities of one's own stand beside the usual ones, not in their place.
        ...(caPem !== undefined && { ca: [...getCACertificates('default'), caPem] }),
      },
    });
  }

  async ask({ url, maxBytes, onText }: Question): Promise<Failure | undefined> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), POLL_TIMEOUT_MS).unref();
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: this.#agent,
        method: 'GET',
        // Plain text spares the engine the work of packing, which in Python happens on its event loop.
        headers: { accept: 'text/plain;version=0.0.4, */*;q=0.1', 'accept-encoding': 'identity' },
        signal: deadline.signal,
      });
      const fault = faultOf(statusCode);
      if (fault !== undefined) {
        discard(body);
        return { fault, status: statusCode };
      }
      await readText(body, headers['content-encoding'], { maxBytes, onText });
      return undefined;
    } catch (error) {
      return failureOf(error, deadline.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function faultOf(status: number): PollFault | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return 'redirect';
  return ABSENT.has(status) ? 'absent' : 'status';
}

/** Nobody reads this body, and its connection need not wait for it. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

async function readText(
  body: Readable,
  coding: string | string[] | undefined,
  { maxBytes, onText }: Pick<Question, 'maxBytes' | 'onText'>,
): Promise<void> {
  const packed = coding === 'gzip' || coding === 'x-gzip';
  const plain = packed ? body.pipe(createGunzip()) : body;
  // `pipe` does not pass a fault on, and a reader that waits for more would wait for ever.
  if (packed) body.once('error', (error) => plain.destroy(error));
  const decoder = new TextDecoder();
  let receivedBytes = 0;
  try {
    for await (const bytes of plain as AsyncIterable<Buffer>) {
      receivedBytes += bytes.length;
      if (receivedBytes > maxBytes) throw new TooLarge('the body is too large');
      onText(decoder.decode(bytes, { stream: true }));
      // One piece a turn: what has already arrived would else be read in one go, whatever else is due.
      await setImmediate();
    }
    onText(decoder.decode());
  } finally {
    discard(body);
  }
}

function failureOf(error: unknown, late: boolean): Failure {
  if (late) return { fault: 'timeout' };
  if (error instanceof TooLarge) return { fault: 'too_large' };
  const code = String((error as NodeJS.ErrnoException).code ?? (error as Error).name);
  if (NOT_ACCEPTED.has(code)) return { fault: 'refused', code };
  return { fault: TOO_LATE.has(code) ? 'timeout' : 'broken', code };
}
