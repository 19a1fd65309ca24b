// The relay: admits requests, keeps the set of what is open, writes the tape. It knows bytes, stamps
// and ends; it parses no body, makes no JSON but its own errors, exports nothing.
import type { Socket } from 'node:net';
import { epochMs, nowNs } from '../base/clock.ts';
import { ERROR_CODES, METHOD_REFUSED, NO_ROUTE, type ErrorCode } from '../base/error-codes.ts';
import { openTape, SLOT } from '../tape/layout.ts';
import { TapeWriter } from '../tape/writer.ts';
import type { TraceIds } from '../tape/entries.ts';
import { Exchange } from './exchange.ts';
import { refusal } from './gate.ts';
import { fieldList, fieldValue } from '../base/fields.ts';
import { asksForWebSocket, passFields } from './headers.ts';
import { closeAfter } from './linger.ts';
import { ReadClock } from './read-clock.ts';
import { authorityOf, pickRoute } from './routes.ts';
import type { Admission, Arrival } from './server.ts';
import type { RelaySettings, RouteRule } from './settings.ts';
import { respond } from './synthetic.ts';
import { stepTrace } from './trace-context.ts';
import { UpstreamPool } from './upstream-pool.ts';

const HOST_ONLY: ReadonlySet<string> = new Set(['host']);
const NOTHING: ReadonlySet<string> = new Set();

/** What a relay needs of its settings; listening is its thread's business. */
export type RelayParts = Pick<RelaySettings, 'routes' | 'tracing' | 'timeLimits' | 'tape'>;

export class Relay implements Admission {
  readonly #settings: RelayParts;
  readonly #control: Int32Array;
  readonly #tape: TapeWriter;
  readonly #clock = new ReadClock();
  readonly #pool = new UpstreamPool(() => Atomics.add(this.#control, SLOT.surplusCount, 1));
  readonly #open = new Set<Exchange>();
  #nextNumber = 0;
  #draining = false;

  constructor(settings: RelayParts) {
    this.#settings = settings;
    const tape = openTape(settings.tape);
    this.#control = tape.control;
    this.#tape = new TapeWriter(tape);
  }

  admit(arrival: Arrival): Exchange | undefined {
    const { req, res } = arrival;
    const refused = this.#refuse(arrival);
    const picked = refused ? undefined : pickRoute(this.#settings.routes, req.url ?? '', req.rawHeaders);
    const number = this.#nextNumber;
    this.#nextNumber = (number + 1) >>> 0;
    const step = this.#fieldsFor(picked?.route, req.rawHeaders, arrival.upgradeHead !== undefined);
    this.#openOnTape(arrival, number, picked?.index ?? 0, step.ids);
    if (refused !== undefined || picked === undefined) {
      this.#answerHere(arrival, number, refused?.code ?? NO_ROUTE, refused?.detail);
      return undefined;
    }
    const exchange: Exchange = new Exchange({
      number,
      tape: this.#tape,
      clock: this.#clock,
      pool: this.#pool,
      route: picked.route,
      timeLimits: this.#settings.timeLimits,
      req,
      res,
      socket: req.socket,
      openedAtNs: arrival.openedAtNs,
      method: req.method ?? '',
      target: req.url ?? '',
      fields: step.fields,
      upgradeHead: arrival.upgradeHead,
      isDraining: () => this.#draining,
      onSettled: () => this.#onSettled(exchange),
    });
    this.#open.add(exchange);
    this.#countOpen();
    return exchange;
  }

  onUnreadable(): void {
    Atomics.add(this.#control, SLOT.refusedCount, 1);
  }

  onBroken(socket: Socket): boolean {
    for (const exchange of this.#open) {
      if (exchange.socket !== socket) continue;
      exchange.fail('client_protocol', 'unreadable');
      return true;
    }
    return false;
  }

  clientGone(number: number): void {
    for (const exchange of this.#open) if (exchange.number === number) exchange.clientGone();
  }

  beat(): void {
    Atomics.add(this.#control, SLOT.heartbeatCount, 1);
    this.#tape.retryEnds();
  }

  noteLag(lagUs: number): void {
    if (lagUs > Atomics.load(this.#control, SLOT.loopLagUs)) Atomics.store(this.#control, SLOT.loopLagUs, lagUs);
  }

  notePause(startAtNs: number, endAtNs: number): void {
    this.#tape.pause(startAtNs, endAtNs);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** From now on nothing is kept alive; idle connections are closed as they become idle. */
  startDrain(): void {
    this.#draining = true;
  }

  /** Ends what is still open as cut by us. Returns how many there were. */
  cutAll(): number {
    const cutCount = this.#open.size;
    for (const exchange of this.#open) exchange.shutDown();
    return cutCount;
  }

  close(): void {
    this.#pool.closeIdle();
    this.#tape.retryEnds();
  }

  #refuse({ req }: Arrival): { code: ErrorCode; detail: string | undefined } | undefined {
    if (this.#draining) return { code: ERROR_CODES.shutdown, detail: undefined };
    if (req.method === 'TRACE') return { code: METHOD_REFUSED, detail: undefined };
    const detail = refusal({
      method: req.method ?? '',
      target: req.url ?? '',
      majorVersion: req.httpVersionMajor,
      minorVersion: req.httpVersionMinor,
      fields: req.rawHeaders,
    });
    return detail === undefined ? undefined : { code: ERROR_CODES.client_protocol, detail };
  }

  #fieldsFor(
    route: RouteRule | undefined,
    raw: readonly string[],
    upgrade: boolean,
  ): { fields: readonly string[]; ids: TraceIds | undefined } {
    const { tracing } = this.#settings;
    const hostField = route?.upstream.hostField;
    const { fields } = passFields(raw, hostField === undefined ? NOTHING : HOST_ONLY);
    if (hostField !== undefined) fields.unshift('Host', hostField);
    // HTTP/1.0 clients may name no host; the request that goes on is HTTP/1.1, where it must be named.
    else if (route && fieldValue(fields, 'host') === undefined) fields.unshift('Host', authorityOf(route.upstream));
    if (/\btrailers\b/i.test(fieldList(raw, 'te') ?? '')) fields.push('TE', 'trailers');
    if (upgrade && asksForWebSocket(raw))
      fields.push('Connection', 'Upgrade', 'Upgrade', fieldList(raw, 'upgrade') ?? '');
    if (tracing === undefined) return { fields, ids: undefined };
    return stepTrace(fields, tracing);
  }

  #openOnTape({ req, openedAtNs, upgradeHead }: Arrival, exchange: number, routeIndex: number, trace?: TraceIds): void {
    this.#tape.open({
      exchange,
      openedAtNs,
      epochMs: epochMs(),
      routeIndex,
      clientPort: req.socket.remotePort ?? 0,
      localPort: req.socket.localPort ?? 0,
      clientAddress: req.socket.remoteAddress ?? '',
      method: req.method ?? '',
      target: req.url ?? '',
      fields: req.rawHeaders,
      upgrade: upgradeHead !== undefined,
      trace,
    });
  }

  /** A request that goes no further: answered by us and ended at once. */
  #answerHere({ req, res }: Arrival, exchange: number, code: ErrorCode, detail: string | undefined): void {
    // What follows on this connection cannot be trusted to be a request.
    if (code.status !== NO_ROUTE.status || !req.complete) closeAfter(req, res);
    respond(res, code, detail);
    req.resume();
    this.#tape.end({
      exchange,
      atNs: nowNs(),
      wireEnd: code === ERROR_CODES.shutdown ? 'shutdown' : 'client_protocol',
      reason: code.code,
      answeredByUs: true,
      chunkCount: 0,
      receivedBytes: 0,
      deliveredBytes: 0,
      requestBytes: 0,
    });
  }

  #onSettled(exchange: Exchange): void {
    this.#open.delete(exchange);
    this.#countOpen();
  }

  #countOpen(): void {
    Atomics.store(this.#control, SLOT.openCount, this.#open.size);
  }
}
