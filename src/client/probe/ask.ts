// Sends one streaming request and keeps its answer as the sidecar would: moments of name look-up, handshakes,
// head and reads, stamped at the socket's and the parser's own events. Never rejects: a failure is an answer.
import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { anchorNow, epochMsOf, nowNs } from '../../base/clock.ts';
import { CLIENT_ANSWER_MAX_BYTES, HEAD_MAX_BYTES } from '../../base/limits.ts';
import { OnceEnd } from '../../base/once-end.ts';
import type { Framing, WireEnd } from '../../base/outcome.ts';
import { defined } from '../../measure/defined.ts';
import { decodeWhole } from '../../stream/decode-whole.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { TextCurve } from '../../record/text-curve.ts';
import { gatherReads } from '../gather-reads.ts';
import { AnswerLog } from './answer-log.ts';
import { LoopBound } from './loop-bound.ts';

/** Of an answer that is no stream, for telling what is wrong. */
const BODY_KEPT_BYTES = 4096;

export interface Ask {
  readonly id: string;
  readonly url: URL;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  readonly model: string;
  readonly tls: { readonly caPem: string | undefined; readonly insecure: boolean };
  /** Longest wait for anything to come. */
  readonly silenceMaxMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Keeps connections for later requests. Absent: a connection of its own. */
  readonly agent?: Agent | undefined;
  /** Stamps the reads, where many streams share one. */
  readonly bound?: Pick<LoopBound, 'stamp'> | undefined;
  /** Told of each read with the number of events with generated text in it; ns since the request was begun. */
  readonly onArrival?: (atNs: number, textEventCount: number) => void;
}

export interface Asked {
  readonly record: StreamRecord;
  readonly text: TextCurve | undefined;
  /** When it was begun, on this process's clock. */
  readonly openedAtNs: number;
  /** Beginning of the body, where it may say what is wrong. */
  readonly bodyStart: string;
  /** Code of Node or the system, when something failed. */
  readonly errorCode: string | undefined;
}

type Ending = { readonly wire: WireEnd; readonly code?: string | undefined };

export function ask(asking: Ask): Promise<Asked> {
  return new Promise((resolve) => new Exchange(asking, resolve).start());
}

class Exchange {
  readonly #ask: Ask;
  readonly #log: AnswerLog;
  readonly #openedAtNs: number;
  readonly #ownBound: LoopBound | undefined;
  readonly #bound: Pick<LoopBound, 'stamp'>;
  readonly #end: OnceEnd<Ending>;
  #request: ClientRequest | undefined;
  #headSeen = false;
  #bodyBytes = 0;
  #bodyStart = Buffer.alloc(0);
  #silence: NodeJS.Timeout | undefined;

  constructor(asking: Ask, resolve: (asked: Asked) => void) {
    this.#ask = asking;
    this.#ownBound = asking.bound === undefined ? new LoopBound() : undefined;
    this.#bound = asking.bound ?? (this.#ownBound as LoopBound);
    const anchor = anchorNow();
    this.#openedAtNs = nowNs();
    const { id, url, body, model } = asking;
    this.#log = new AnswerLog({
      id,
      openedAtEpochMs: epochMsOf(anchor, this.#openedAtNs),
      request: { method: 'POST', path: url.pathname, bodyBytes: Buffer.byteLength(body), model, stream: true },
    });
    this.#end = new OnceEnd<Ending>(({ wire, code }) => {
      clearTimeout(this.#silence);
      this.#ownBound?.stop();
      asking.signal?.removeEventListener('abort', this.#onAbort);
      if (wire !== 'complete') this.#request?.destroy();
      const record = this.#log.end({ atNs: this.#now(), wire, reason: code });
      const text = this.#log.curve();
      const decoded = decodeWhole(this.#bodyStart, record.response.encoding)?.bytes;
      const bodyStart = Buffer.from(decoded ?? this.#bodyStart).toString('utf8');
      resolve({ record, text, openedAtNs: this.#openedAtNs, bodyStart, errorCode: code });
    });
  }

  start(): void {
    const { url, fields, body, tls, signal, agent } = this.#ask;
    Object.assign(this.#log.marks, { uploadEndAtNs: 0, connectStartAtNs: 0 });
    const options: RequestOptions & { ca?: string; rejectUnauthorized?: boolean } = {
      method: 'POST',
      agent: agent ?? false,
      maxHeaderSize: HEAD_MAX_BYTES,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        // As the usual clients do: a hop that compresses does so only for who takes it.
        'accept-encoding': 'gzip, deflate, br',
        'content-length': Buffer.byteLength(body),
        ...fields,
      },
      ...defined({ ca: tls.caPem, rejectUnauthorized: tls.insecure ? false : undefined }),
    };
    this.#request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    this.#request.on('socket', (socket) => this.#watchSocket(socket));
    this.#request.on('finish', () => (this.#log.marks.requestSentAtNs = this.#now()));
    this.#request.on('response', (response) => this.#onHead(response));
    this.#request.on('error', (fault: NodeJS.ErrnoException) => this.#fail(fault.code ?? fault.name));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#wait();
    if (signal?.aborted === true) this.#onAbort();
    else this.#request.end(body);
  }

  readonly #onAbort = (): void => {
    this.#end.end({ wire: 'client_abort' });
  };

  #now(): number {
    return nowNs() - this.#openedAtNs;
  }

  #watchSocket(socket: Socket): void {
    const facts: { reused: boolean; dnsNs?: number; tcpNs?: number; tlsNs?: number } = { reused: false };
    this.#log.connection = facts;
    if (this.#request?.reusedSocket === true) {
      facts.reused = true;
      this.#log.marks.connectedAtNs = this.#now();
      return;
    }
    let attemptAtNs = this.#now();
    let connectedAtNs = 0;
    const isSecure = this.#ask.url.protocol === 'https:';
    socket.setNoDelay(true);
    socket.once('lookup', () => (facts.dnsNs ??= this.#now()));
    socket.on('connectionAttempt', () => (attemptAtNs = this.#now()));
    socket.once('connect', () => {
      connectedAtNs = this.#now();
      facts.tcpNs = connectedAtNs - attemptAtNs;
      if (!isSecure) this.#log.marks.connectedAtNs = connectedAtNs;
    });
    socket.once('secureConnect', () => {
      facts.tlsNs = this.#now() - connectedAtNs;
      this.#log.marks.connectedAtNs = this.#now();
    });
  }

  #onHead(response: IncomingMessage): void {
    this.#headSeen = true;
    this.#wait();
    const { statusCode: status = 0, rawHeaders: fields } = response;
    this.#log.onHead(this.#now(), { status, framing: framingOf(response), fields });
    gatherReads(
      response,
      () => this.#bound.stamp(),
      (stamp, pieces) => this.#onRead(stamp, pieces),
    );
    response.on('error', (fault: NodeJS.ErrnoException) => this.#fail(fault.code ?? fault.name));
    response.on('end', () => this.#end.end({ wire: 'complete' }));
    // A close without an end is a cut, whatever else is said about it.
    response.on('close', () => this.#fail('cut'));
  }

  #onRead({ atNs, errorBoundNs }: ReturnType<LoopBound['stamp']>, pieces: readonly Buffer[]): void {
    if (this.#end.ended) return;
    this.#wait();
    const sinceOpenNs = atNs - this.#openedAtNs;
    const before = this.#log.generatedCount;
    this.#log.onRead({ atNs: sinceOpenNs, errorBoundNs, pieces });
    this.#keep(pieces);
    this.#ask.onArrival?.(sinceOpenNs, this.#log.generatedCount - before);
  }

  #keep(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      const roomBytes = BODY_KEPT_BYTES - this.#bodyStart.length;
      if (roomBytes > 0) this.#bodyStart = Buffer.concat([this.#bodyStart, piece.subarray(0, roomBytes)]);
      this.#bodyBytes += piece.length;
    }
    if (this.#bodyBytes > CLIENT_ANSWER_MAX_BYTES) this.#end.end({ wire: 'client_abort', code: 'too_large' });
  }

  #fail(code: string): void {
    if (this.#headSeen) this.#end.end({ wire: 'upstream_aborted', code });
    else {
      const wasConnected = this.#log.marks.connectedAtNs !== undefined;
      this.#end.end({ wire: wasConnected ? 'upstream_closed_before_head' : 'connect_error', code });
    }
  }

  /** Starts the wait for the next thing to come. */
  #wait(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      if (this.#headSeen) this.#end.end({ wire: 'timeout_idle' });
      else this.#end.end({ wire: this.#log.marks.connectedAtNs === undefined ? 'timeout_connect' : 'timeout_head' });
    }, this.#ask.silenceMaxMs);
  }
}

function framingOf({ headers, statusCode = 0 }: IncomingMessage): Framing {
  if (statusCode === 204 || statusCode === 304) return 'none';
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  return headers['content-length'] === undefined ? 'close_delimited' : 'length';
}
