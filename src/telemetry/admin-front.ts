// The server behind the admin port: who may connect and ask, and how much may be under way. It answers
// for the hearts of the relays itself and has the main thread answer the rest, within a limit.
import { createServer, type Server, type Socket } from 'node:net';
import {
  ADMIN_ANSWER_WAIT_MS,
  ADMIN_ASKS_MAX_COUNT,
  ADMIN_CONNECTIONS_MAX_COUNT,
  ADMIN_HELD_MAX_BYTES,
} from '../base/admin-limits.ts';
import { nowNs } from '../base/clock.ts';
import { AdminConnection } from './admin-connection.ts';
import { refusalOf } from './admin-guard.ts';
import { LIVE_WATCHERS_MAX_COUNT } from '../base/live-limits.ts';
import type { AdminAnswer, AdminAsk, AdminStream, FrontSettings } from './admin-messages.ts';
import type { AdminRequest } from './admin-request.ts';
import { errorAnswer, jsonAnswer } from './admin-response.ts';
import { LiveHub } from './live/hub.ts';
import type { LiveWants } from './live/messages.ts';
import { PageFiles } from './page-files.ts';
import { PulseWatch, type RelayPulse } from './pulse-watch.ts';

interface Waiting {
  readonly asked: AdminAsk;
  readonly resolve: (answer: AdminAnswer) => void;
  timer: NodeJS.Timeout | undefined;
}

const BUSY: { readonly error: string; readonly message: string } = {
  error: 'busy',
  message: 'The main thread is busy. Streams are not touched by that; ask again soon.',
};

const TOO_MANY_WATCHERS = {
  error: 'too_many_watchers',
  message: `${LIVE_WATCHERS_MAX_COUNT} pages watch already. Close one of them, or try again later.`,
};

const EVENT_STREAM_FIELDS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };

/** What is asked of the main thread. */
export interface MainAsks {
  /** Its answer comes by {@link AdminFront.answered}. */
  ask(ask: number, asked: AdminAsk): void;
  /** Its answer comes by `live.answered`. */
  askLive(wants: LiveWants): void;
}

export class AdminFront {
  readonly server: Server;
  readonly live: LiveHub;
  readonly #allowedHosts: ReadonlySet<string>;
  readonly #main: MainAsks;
  readonly #page: PageFiles;
  readonly #pulses = new PulseWatch();
  readonly #connections = new Set<AdminConnection>();
  /** Asked of main and not answered yet, given up or not: a busy main thread has no more than these to do. */
  readonly #asked = new Map<number, Waiting>();
  readonly #waiting = new Set<Waiting>();
  #askCount = 0;

  constructor(settings: Pick<FrontSettings, 'allowedHosts' | 'pageFolder' | 'pulses'>, main: MainAsks) {
    this.#allowedHosts = new Set(settings.allowedHosts);
    this.#main = main;
    this.#page = new PageFiles(settings.pageFolder);
    this.live = new LiveHub((wants) => main.askLive(wants));
    this.#pulses.set(settings.pulses);
    // A client may half-close after its request and still wants its answer.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#connected(socket));
  }

  setPulses(pulses: readonly RelayPulse[]): void {
    this.#pulses.set(pulses);
  }

  /** Looks at the hearts, to be called each {@link LOOK_EVERY_MS}. */
  look(): void {
    this.#pulses.look(nowNs());
  }

  answered(ask: number, answer: AdminAnswer): void {
    const waiting = this.#asked.get(ask);
    this.#asked.delete(ask);
    if (waiting !== undefined) settle(waiting, answer);
    this.#askNext();
  }

  /** Nobody new comes in; who is being answered gets the answer. */
  close(done: () => void): void {
    this.server.close(() => done());
    for (const connection of this.#connections) connection.close();
  }

  #connected(socket: Socket): void {
    if (this.#connections.size >= ADMIN_CONNECTIONS_MAX_COUNT) this.#stillest(this.#connections)?.destroy();
    const connection = new AdminConnection(socket, (request) => this.#answerFor(request, connection));
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }

  async #answerFor(request: AdminRequest, connection: AdminConnection): Promise<AdminAnswer | AdminStream> {
    const refusal = refusalOf(request, this.#allowedHosts);
    if (refusal !== undefined) {
      return errorAnswer(refusal.status, refusal, refusal.status === 405 ? { allow: 'GET, HEAD' } : {});
    }
    const [path = ''] = request.target.split('?', 1);
    const query = request.target.slice(path.length + 1);
    if (path === '/healthz') {
      const health = this.#pulses.health(nowNs());
      return jsonAnswer(health.ok ? 200 : 503, health);
    }
    if (path === '/api/live') return this.#liveStream();
    const page = await this.#page.answerTo(path, request.acceptEncoding);
    if (page !== undefined) return page;
    const answer = await this.#fromMain({ path, query, accept: request.accept });
    this.#makeRoom(answer.body.length, connection);
    return answer;
  }

  #liveStream(): AdminAnswer | AdminStream {
    if (this.live.isFull) return errorAnswer(503, TOO_MANY_WATCHERS, { 'retry-after': '5' });
    return { fields: EVENT_STREAM_FIELDS, enter: (sink) => this.live.enter(sink) };
  }

  #fromMain(asked: AdminAsk): Promise<AdminAnswer> {
    return new Promise((resolve) => {
      const waiting: Waiting = { asked, resolve, timer: undefined };
      waiting.timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        settle(waiting, errorAnswer(503, BUSY, { 'retry-after': '1' }));
      }, ADMIN_ANSWER_WAIT_MS);
      this.#waiting.add(waiting);
      this.#askNext();
    });
  }

  #askNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#asked.size >= ADMIN_ASKS_MAX_COUNT) return;
      this.#waiting.delete(waiting);
      this.#askCount += 1;
      this.#asked.set(this.#askCount, waiting);
      this.#main.ask(this.#askCount, waiting.asked);
    }
  }

  /** Readers that do not read give way when their answers and a new one would be too much together. */
  #makeRoom(bytes: number, reader: AdminConnection): void {
    const holders = new Set([...this.#connections].filter((each) => each.heldBytes > 0 && each !== reader));
    let heldBytes = [...holders].reduce((sum, each) => sum + each.heldBytes, bytes);
    while (heldBytes > ADMIN_HELD_MAX_BYTES) {
      const stillest = this.#stillest(holders);
      if (stillest === undefined) return;
      heldBytes -= stillest.heldBytes;
      holders.delete(stillest);
      stillest.destroy();
    }
  }

  #stillest(connections: Iterable<AdminConnection>): AdminConnection | undefined {
    let stillest: AdminConnection | undefined;
    for (const each of connections) if (stillest === undefined || each.movedAtNs < stillest.movedAtNs) stillest = each;
    return stillest;
  }
}

function settle({ timer, resolve }: Waiting, answer: AdminAnswer): void {
  clearTimeout(timer);
  resolve(answer);
}
