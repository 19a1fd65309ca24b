// One stream of a bench's load: what the engine wrote when, and when it was whole at the client. It asks over a
// connection of its own, or over one that was used before. Knows nothing of schedules.
import { connect, type Socket } from 'node:net';
import { nowNs } from '../../../src/base/clock.ts';
import { AnswerCount } from './answer-count.ts';
import { requestFor, type Answer, type RequestShape } from './light-engine.ts';

/** Where a stream goes, and what a request needs there. */
export interface Address {
  readonly port: number;
  readonly request?: RequestShape;
}

export interface StreamHandlers {
  /** Called as soon as the engine has the request; the head of a stream has left by then. */
  readonly onAnswer: (stream: LoadStream) => void;
  /** Called for each chunk that has come. */
  readonly onChunk?: (stream: LoadStream) => void;
  /** A chunk of another size than usual. */
  readonly event?: Buffer;
  /** Absent: a new connection, which ends with the answer. */
  readonly over?: Socket;
  /** The answer is no stream. */
  readonly isWhole?: boolean;
}

export class LoadStream {
  answer: Answer | undefined;
  readonly writtenAtNs: number[] = [];
  readonly delaysNs: number[] = [];
  /** Of each chunk: an earlier one came by the same read. */
  readonly wasJoined: boolean[] = [];
  readonly openedAtNs = nowNs();
  firstAtNs: number | undefined;
  endedAtNs: number | undefined;
  readonly #count = new AnswerCount();
  readonly #socket: Socket;
  readonly #ended = Promise.withResolvers<void>();
  readonly #handlers: StreamHandlers;

  constructor(to: Address, number: number, handlers: StreamHandlers) {
    this.#handlers = handlers;
    this.#socket = handlers.over ?? connect({ port: to.port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', this.#onData);
    this.#socket.on('error', this.#onError);
    this.#socket.on('close', this.#onClose);
    this.#socket.write(requestFor(number, to.request, handlers.isWhole !== true));
    // Nobody may wait for a stream that has not failed yet.
    this.#ended.promise.catch(() => undefined);
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  onAnswer(answer: Answer): void {
    this.answer = answer;
    if (this.#handlers.isWhole === true) answer.whole();
    else answer.head();
    this.#handlers.onAnswer(this);
  }

  chunk(): void {
    this.writtenAtNs.push(nowNs());
    this.answer?.chunk(this.#handlers.event);
  }

  /** Gives it up, wherever it is. */
  cut(): void {
    this.#socket.destroy();
  }

  readonly #onError = (error: Error): void => this.#ended.reject(error);
  readonly #onClose = (): void => this.#ended.reject(new Error('a stream was cut'));

  readonly #onData = (bytes: Buffer): void => {
    const atNs = nowNs();
    try {
      this.#count.feed(bytes);
    } catch (error) {
      this.#ended.reject(error);
      this.#socket.destroy();
      return;
    }
    const before = this.delaysNs.length;
    const count = Math.min(this.#count.eventCount, this.writtenAtNs.length);
    if (count > 0) this.firstAtNs ??= atNs;
    while (this.delaysNs.length < count) {
      this.wasJoined.push(this.delaysNs.length > before);
      this.delaysNs.push(atNs - (this.writtenAtNs[this.delaysNs.length] as number));
      this.#handlers.onChunk?.(this);
    }
    if (this.#count.ended) this.#end(atNs);
  };

  #end(atNs: number): void {
    this.endedAtNs = atNs;
    if (this.#count.status === 200) this.#ended.resolve();
    else this.#ended.reject(new Error(`answered ${this.#count.status}`));
    if (this.#handlers.over === undefined) return void this.#socket.destroy();
    this.#socket.off('data', this.#onData);
    this.#socket.off('error', this.#onError);
    this.#socket.off('close', this.#onClose);
  }
}
