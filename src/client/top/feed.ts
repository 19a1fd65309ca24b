// The live feed of a sidecar, read for as long as somebody wants it: connects, reads events, and connects again when
// it breaks off. Bounded in memory and in time. Knows what events are called, and nothing of what they mean.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import {
  TOP_ANSWER_MAX_BYTES,
  TOP_CONNECT_TIMEOUT_MS,
  TOP_EVENT_MAX_BYTES,
  TOP_RETRY_MS,
  TOP_SILENCE_MAX_MS,
} from '../../base/top-limits.ts';
import { openEventStream } from '../../stream/framings/sse.ts';
import { asObject, isNonEmptyText, parseJson } from '../../stream/json-value.ts';
import type { LiveBeat, LiveHello, LiveState } from '../../telemetry/live/frame.ts';

/** `lost`: nothing answers · `refused`: somebody answers, and it is no feed. */
export interface FeedTrouble {
  readonly word: 'lost' | 'refused';
  /** Half a sentence for people, without a full stop. */
  readonly says: string;
}

export interface FeedListener {
  onHello(hello: LiveHello): void;
  /** False asks for a fresh start: something was missed. */
  onBeat(beat: LiveBeat): boolean;
  onState(state: LiveState): void;
  onBusy(): void;
  /** False gives up. */
  onTrouble(trouble: FeedTrouble): boolean;
}

/** What ended one connection: a fresh start that was asked for, or trouble. */
type Ended = 'anew' | FeedTrouble;

/** Watches until `signal` is aborted, or the listener gives up. Never rejects for what the other side does. */
export async function watchFeed(adminUrl: URL, listener: FeedListener, signal: AbortSignal): Promise<void> {
  const agent = new Agent({
    connect: { timeout: TOP_CONNECT_TIMEOUT_MS },
    headersTimeout: TOP_SILENCE_MAX_MS,
    bodyTimeout: TOP_SILENCE_MAX_MS,
  });
  try {
    let failedCount = 0;
    while (!signal.aborted) {
      const reading = new Reading(listener);
      const ended = await readOnce(agent, adminUrl, reading, signal);
      if (signal.aborted) return;
      if (reading.hasBegun) failedCount = 0;
      if (ended === 'anew') continue;
      if (!listener.onTrouble(ended)) return;
      const retryMs = TOP_RETRY_MS[Math.min(failedCount, TOP_RETRY_MS.length - 1)];
      // Cut short by the signal, which the loop looks at.
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      failedCount += 1;
    }
  } finally {
    await agent.destroy();
  }
}

async function readOnce(agent: Agent, adminUrl: URL, reading: Reading, signal: AbortSignal): Promise<Ended> {
  try {
    const answer = await agent.request({
      origin: adminUrl.origin,
      path: `${adminUrl.pathname.replace(/\/+$/, '')}/api/live`,
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      signal,
    });
    const isFeed = answer.statusCode === 200 && /^text\/event-stream\b/i.test(String(answer.headers['content-type']));
    if (!isFeed) return await refusal(answer);
    const framing = openEventStream(reading, TOP_EVENT_MAX_BYTES);
    // Whoever leaves the loop closes the connection by it.
    for await (const bytes of answer.body as AsyncIterable<Uint8Array>) {
      framing.feed(bytes);
      if (reading.ended !== undefined) return reading.ended;
    }
    return { word: 'lost', says: 'it ended the connection' };
  } catch (error) {
    return { word: 'lost', says: errorWords(error) };
  }
}

/** Takes the events of one connection. */
class Reading {
  readonly #listener: FeedListener;
  #hasBegun = false;
  #ended: Ended | undefined;

  constructor(listener: FeedListener) {
    this.#listener = listener;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get ended(): Ended | undefined {
    return this.#ended;
  }

  onMessage(text: string, name: string | undefined): void {
    if (this.#ended !== undefined) return;
    const event = asObject(parseJson(text));
    if (event === undefined) this.onUnreadable();
    else if (name === 'hello') this.#onHello(event as unknown as LiveHello);
    else if (this.#hasBegun) this.#onFurther(name, event);
  }

  onComment(): void {}
  onDoubt(): void {}

  onOverflow(): void {
    // A beat that was dropped is a beat that was missed.
    this.#ended = { word: 'refused', says: 'it sent an event that is too large' };
  }

  onUnreadable(): void {
    this.#ended = { word: 'refused', says: 'it sent something that is no event of the feed' };
  }

  #onHello(hello: LiveHello): void {
    const isWhole = [hello.about, hello.state, hello.beat].every((part) => asObject(part) !== undefined);
    if (!isWhole) return this.onUnreadable();
    this.#hasBegun = true;
    this.#listener.onHello(hello);
  }

  #onFurther(name: string | undefined, event: unknown): void {
    if (name === 'state') this.#listener.onState(event as LiveState);
    else if (name === 'busy') this.#listener.onBusy();
    else if (name === 'beat' && !this.#listener.onBeat(event as LiveBeat)) this.#ended = 'anew';
  }
}

/** What an answer says that is no feed: rubato's own errors, and anybody's who listens there instead. */
async function refusal({ statusCode, body }: Dispatcher.ResponseData): Promise<FeedTrouble> {
  const pieces: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    heldBytes += piece.byteLength;
    if (heldBytes > TOP_ANSWER_MAX_BYTES) break;
  }
  const error = asObject(parseJson(Buffer.concat(pieces).toString()))?.['error'];
  const message = asObject(error)?.['message'] ?? error;
  const said = isNonEmptyText(message) ? `: ${message.slice(0, 200)}` : '';
  if (statusCode === 503) return { word: 'refused', says: `it answered 503${said}` };
  const advice =
    statusCode === 404 || statusCode === 200 ? '; it is no admin port of a rubato that has a live feed' : '';
  return { word: 'refused', says: `it answered ${statusCode}${said}${advice}` };
}

const ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it cut the connection',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; give an http:// URL',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: `nothing came for ${TOP_SILENCE_MAX_MS / 1000} s`,
  UND_ERR_SOCKET: 'the connection broke off',
};

function errorWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return ERRORS[code ?? ''] ?? code ?? message;
}
