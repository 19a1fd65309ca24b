// One connection to the admin port: reads a request, has it answered, writes the answer, and only then
// reads on. So a client that sends without reading holds one request and one answer, whatever it sent.
// Knows nothing of what is asked for or answered.
import type { Socket } from 'node:net';
import {
  ADMIN_ANSWER_TIMEOUT_MS,
  ADMIN_HEAD_TIMEOUT_MS,
  ADMIN_KEEP_ALIVE_MS,
  ADMIN_LINGER_MS,
  ADMIN_SLICE_BYTES,
  ADMIN_SLICE_TIMEOUT_MS,
} from '../base/admin-limits.ts';
import { nowNs } from '../base/clock.ts';
import type { AdminAnswer, AdminStream } from './admin-messages.ts';
import { errorAnswer, responseHead, streamHead } from './admin-response.ts';
import { readHead, type AdminRequest } from './admin-request.ts';
import { EventWriter } from './live/event-writer.ts';

export type AnswerFor = (request: AdminRequest) => Promise<AdminAnswer | AdminStream>;

export class AdminConnection {
  readonly #socket: Socket;
  readonly #answerFor: AnswerFor;
  /** Bytes that came and are not answered yet; while an answer is under way nothing is read. */
  #unread: Buffer = Buffer.alloc(0);
  #state: 'idle' | 'head' | 'answering' | 'streaming' | 'ending' = 'head';
  #timer: NodeJS.Timeout | undefined;
  #body: Uint8Array | undefined;
  #stream: EventWriter | undefined;
  #movedAtNs = nowNs();

  constructor(socket: Socket, answerFor: AnswerFor) {
    this.#socket = socket;
    this.#answerFor = answerFor;
    this.#limit(ADMIN_HEAD_TIMEOUT_MS, () => this.#refuse(408, 'The request head did not come in time.'));
    socket.on('data', (bytes) => this.#onBytes(bytes));
    socket.on('end', () => this.#onEnd());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(this.#timer);
      this.#body = undefined;
    });
  }

  /** Bytes of an answer that its reader has not taken. */
  get heldBytes(): number {
    return this.#stream?.heldBytes ?? this.#body?.length ?? 0;
  }

  /** The connection's last sign of life: a byte that came, or that its reader took. */
  get movedAtNs(): number {
    return this.#stream?.movedAtNs ?? this.#movedAtNs;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends it: at once when nothing is under way, else after the answer. */
  close(): void {
    if (this.#state === 'answering') this.#state = 'ending';
    else if (this.#stream !== undefined) this.#stream.end();
    else this.destroy();
  }

  #onBytes(bytes: Buffer): void {
    this.#movedAtNs = nowNs();
    // After our last answer whatever still comes is read, so that the answer is not lost to a reset.
    if (this.#state === 'ending' || this.#state === 'streaming') return;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    if (this.#state === 'answering') return;
    if (this.#state === 'idle') {
      this.#state = 'head';
      this.#limit(ADMIN_HEAD_TIMEOUT_MS, () => this.#refuse(408, 'The request head did not come in time.'));
    }
    this.#read();
  }

  #onEnd(): void {
    // Whoever watches and has no more to say has left: a page that was closed would be written to for ever.
    if (this.#state !== 'answering' && this.#state !== 'ending') this.#socket.destroy();
  }

  #read(): void {
    const reading = readHead(this.#unread);
    if (reading.type === 'partial') return;
    if (reading.type === 'refused') {
      this.#refuse(reading.status, reading.message);
      return;
    }
    this.#state = 'answering';
    clearTimeout(this.#timer);
    this.#socket.pause();
    // A copy, so that a few bytes do not keep a whole read.
    this.#unread = Buffer.from(this.#unread.subarray(reading.bytes));
    void this.#answer(reading.request);
  }

  async #answer(request: AdminRequest): Promise<void> {
    const answer = await this.#answerFor(request);
    if (this.#socket.destroyed) return;
    const { keepAlive, method } = request;
    if ('enter' in answer) {
      this.#begin(answer, method === 'HEAD');
      return;
    }
    const goesOn = keepAlive && this.#state === 'answering';
    if (!goesOn) this.#state = 'ending';
    const written = await this.#write(answer, { withBody: method !== 'HEAD', keepAlive: goesOn });
    if (!written || this.#socket.destroyed) return;
    // Told to close while the answer was on its way.
    if (this.#state === 'ending') this.#end();
    else this.#next();
  }

  /** An answer that ends with the connection; nothing that comes meanwhile is read as a request. */
  #begin({ fields, enter }: AdminStream, headOnly: boolean): void {
    const isEnding = this.#state === 'ending';
    this.#state = 'streaming';
    this.#unread = Buffer.alloc(0);
    this.#stream = new EventWriter(this.#socket);
    this.#stream.write(streamHead(fields));
    this.#socket.resume();
    if (headOnly || isEnding) this.#stream.end();
    else this.#socket.on('close', enter(this.#stream));
  }

  #next(): void {
    this.#state = this.#unread.length === 0 ? 'idle' : 'head';
    if (this.#state === 'idle') this.#limit(ADMIN_KEEP_ALIVE_MS, () => this.#socket.destroy());
    else this.#limit(ADMIN_HEAD_TIMEOUT_MS, () => this.#refuse(408, 'The request head did not come in time.'));
    this.#socket.resume();
    if (this.#unread.length > 0) this.#read();
  }

  #refuse(status: 400 | 408 | 413 | 431 | 505, message: string): void {
    this.#state = 'ending';
    this.#unread = Buffer.alloc(0);
    const answer = errorAnswer(status, { error: 'bad_request', message });
    void this.#write(answer, { withBody: true, keepAlive: false }).then(() => this.#end());
  }

  /** Head and body in slices, each when the kernel has taken the one before; false when the reader is stuck. */
  async #write(
    answer: AdminAnswer,
    how: { readonly withBody: boolean; readonly keepAlive: boolean },
  ): Promise<boolean> {
    const body = how.withBody ? answer.body : new Uint8Array();
    this.#body = body;
    const endAtNs = nowNs() + ADMIN_ANSWER_TIMEOUT_MS * 1e6;
    const head = responseHead(answer, how.keepAlive);
    const firstBytes = body.subarray(0, ADMIN_SLICE_BYTES);
    let taken = await this.#writeSlice(Buffer.concat([head, firstBytes]), endAtNs);
    for (let from = ADMIN_SLICE_BYTES; taken && from < body.length; from += ADMIN_SLICE_BYTES) {
      taken = await this.#writeSlice(body.subarray(from, from + ADMIN_SLICE_BYTES), endAtNs);
    }
    this.#body = undefined;
    return taken;
  }

  #writeSlice(bytes: Uint8Array, endAtNs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leftMs = (endAtNs - nowNs()) / 1e6;
      this.#limit(Math.min(Math.max(leftMs, 0), ADMIN_SLICE_TIMEOUT_MS), () => this.#socket.destroy());
      this.#socket.write(bytes, (fault) => {
        clearTimeout(this.#timer);
        this.#movedAtNs = nowNs();
        resolve(fault === undefined || fault === null);
      });
    });
  }

  #end(): void {
    if (this.#socket.destroyed) return;
    this.#socket.end();
    this.#socket.resume();
    this.#limit(ADMIN_LINGER_MS, () => this.#socket.destroy());
  }

  #limit(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}
