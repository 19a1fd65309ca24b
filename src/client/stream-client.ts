// Plays the client: sends one request and notes the moment of every read, of the head and of the end.
// Knows no dialect; what the bytes mean is for stream/.
import { request as httpRequest, type Agent } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { nowNs } from '../base/clock.ts';
import { CLIENT_ANSWER_MAX_BYTES } from '../base/limits.ts';
import { OnceEnd } from '../base/once-end.ts';
import { gatherReads } from './gather-reads.ts';

export interface StreamRequest {
  readonly url: string;
  /** Default POST. */
  readonly method?: string;
  /** `content-type: application/json` is set unless another one is given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default: a connection of its own, closed afterwards. */
  readonly agent?: Agent;
  /** Leaves at once, at any moment. */
  readonly signal?: AbortSignal;
  /** Called at each read; returning `leave` drops the connection. */
  readonly onRead?: (read: ClientRead, readCount: number) => 'leave' | void;
}

/** All body bytes that came out of one turn of the loop. */
interface ClientRead {
  readonly atNs: number;
  readonly bytes: Uint8Array;
}

interface AnswerHead {
  readonly atNs: number;
  readonly status: number;
  readonly reason: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/**
 * `complete`: the body ended as its framing promised · `left`: we dropped it · `cut`: it broke off
 * after the head · `failed`: no head came · `too_large`: more than we keep.
 */
export type AnswerEnd = 'complete' | 'left' | 'cut' | 'failed' | 'too_large';

export interface StreamAnswer {
  /** The request was given to Node; the connection is made after this. */
  readonly sentAtNs: number;
  readonly head: AnswerHead | undefined;
  /** Absent when no head came. */
  readonly status: number | undefined;
  readonly reads: readonly ClientRead[];
  readonly bodyBytes: number;
  readonly endAtNs: number;
  readonly end: AnswerEnd;
  /** An errno or a code of Node, when there was one. */
  readonly error: string | undefined;
}

/** Sends a request and waits for the end of its answer. Never rejects: a failure is an answer too. */
export function sendRequest(request: StreamRequest): Promise<StreamAnswer> {
  return new Promise((resolve) => {
    const url = new URL(request.url);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sentAtNs = nowNs();
    let head: AnswerHead | undefined;
    let bodyBytes = 0;
    let error: string | undefined;
    const reads: { atNs: number; bytes: Uint8Array }[] = [];
    const outgoing = send(url, {
      method: request.method ?? 'POST',
      agent: request.agent ?? false,
      headers: {
        'content-type': 'application/json',
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        ...request.headers,
      },
    });
    const onAbort = (): void => {
      stop.end('left');
    };
    const stop = new OnceEnd<AnswerEnd>((end) => {
      const endAtNs = nowNs();
      request.signal?.removeEventListener('abort', onAbort);
      if (end !== 'complete') outgoing.destroy();
      resolve({ sentAtNs, head, status: head?.status, reads, bodyBytes, endAtNs, end, error });
    });
    const onRead = (read: ClientRead): void => {
      // A read gathered before we left, but flushed after it, is no part of the answer any more.
      if (stop.ended) return;
      bodyBytes += read.bytes.byteLength;
      if (bodyBytes <= CLIENT_ANSWER_MAX_BYTES) reads.push(read);
      else stop.end('too_large');
      if (!stop.ended && request.onRead?.(read, reads.length) === 'leave') stop.end('left');
    };
    const fail = (cause: Error & { code?: string }): void => {
      error ??= cause.code ?? cause.name;
      stop.end(head === undefined ? 'failed' : 'cut');
    };
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = response;
      head = { atNs: nowNs(), status, reason, rawHeaders };
      gatherReads(response, nowNs, (atNs, pieces) => {
        const [only, ...others] = pieces;
        onRead({ atNs, bytes: only !== undefined && others.length === 0 ? only : Buffer.concat(pieces) });
      });
      response.on('error', fail);
      response.on('end', () => stop.end('complete'));
      // A close without an end is a cut, whatever else is said about it.
      response.on('close', () => stop.end('cut'));
    });
    outgoing.on('error', fail);
    request.signal?.addEventListener('abort', onAbort, { once: true });
    if (request.signal?.aborted === true) onAbort();
    else outgoing.end(request.body);
  });
}

/** The body, as far as it came. */
export function answerBytes({ reads }: Pick<StreamAnswer, 'reads'>): Buffer {
  return Buffer.concat(reads.map(({ bytes }) => bytes));
}
