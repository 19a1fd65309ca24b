// The relay: admits requests, keeps the set of what is open, writes the tape. It knows bytes, stamps
// and ends; it parses no body, makes no JSON but its own errors, exports nothing.
import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { ADMISSION_LOOK_MS } from '../base/client-limits.ts';
import { epochMs, nowNs } from '../base/clock.ts';
import {
  EDGE_LOOP,
  ERROR_CODES,
  HEAD_TOO_LARGE,
  METHOD_REFUSED,
  NO_ROUTE,
  SLOW_REQUEST,
  type ErrorCode,
} from '../base/error-codes.ts';
import { openTape, SLOT } from '../tape/layout.ts';
import { TapeWriter } from '../tape/writer.ts';
import type { TraceIds } from '../tape/entries.ts';
import { AdmissionLimits } from './admission-limits.ts';
import { Exchange } from './exchange.ts';
import { refusal } from './gate.ts';
import { closeAfter } from './linger.ts';
import { LoopWatch } from './loop-watch.ts';
import { ReadClock } from './read-clock.ts';
import { fieldsFor } from './request-fields.ts';
import { pickRoute, rulesByListener, upstreamsOf } from './routes.ts';
import type { Admission, Arrival } from './listener.ts';
import type { LiveSettings, RelaySettings, RouteRule } from './settings.ts';
import { respond } from './synthetic.ts';
import { Turns } from './turns.ts';
import { UploadRate } from './upload-rate.ts';
import { UpstreamPool } from './upstream-pool.ts';

/** A request that goes no further. */
interface Refused {
  readonly code: ErrorCode;
  /** For the client. */
  readonly detail?: string | undefined;
  /** For the record; the code's own name where there is nothing more to say. */
  readonly reason?: string;
}

export class Relay implements Admission {
  #settings: LiveSettings;
  /** By listener. */
  #rules: readonly (readonly RouteRule[])[];
  readonly #control: Int32Array;
  readonly #tape: TapeWriter;
  readonly #clock: ReadClock;
  readonly #pool = new UpstreamPool(() => Atomics.add(this.#control, SLOT.surplusCount, 1));
  /** With what each came with. */
  readonly #open = new Map<Exchange, Arrival>();
  readonly #limits: AdmissionLimits;
  readonly #turns: Turns;
  readonly #loops = new LoopWatch();
  readonly #uploadRate = new UploadRate();
  readonly #lookTimer: NodeJS.Timeout;
  #nextNumber = 0;
  #draining = false;
  #onEmpty: (() => void) | undefined;

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    this.#rules = rulesByListener(settings);
    this.#pool.keepOnly(upstreamsOf(this.#rules));
    this.#limits = new AdmissionLimits(settings.admission);
    this.#turns = new Turns(settings.turns);
    this.#lookTimer = setInterval(() => this.#look(), ADMISSION_LOOK_MS);
    this.#lookTimer.unref();
    const tape = openTape(settings.tape);
    this.#control = tape.control;
    this.#tape = new TapeWriter(tape);
    this.#clock = new ReadClock((startAtNs, endAtNs) => this.#tape.pause(startAtNs, endAtNs, 'cpu'));
  }

  admit(arrival: Arrival): Exchange | undefined {
    const { req, res, listener } = arrival;
    const gateRefusal = this.#refuse(arrival);
    const { timeLimits } = this.#settings;
    const rules = this.#rules[listener] ?? [];
    const route = gateRefusal ? undefined : pickRoute(rules, req.url ?? '', req.rawHeaders);
    const number = this.#nextNumber;
    this.#nextNumber = (number + 1) >>> 0;
    const isUpgrade = arrival.upgradeHead !== undefined;
    const step = fieldsFor(req.rawHeaders, { route, isUpgrade, tracing: this.#settings.tracing });
    const refused = gateRefusal ?? (this.#loops.isBack(listener, step.ids) ? { code: EDGE_LOOP } : undefined);
    this.#openOnTape(arrival, number, (route ?? rules[0])?.id ?? 0, step.ids);
    if (refused !== undefined || route === undefined) {
      this.#answerHere(arrival, number, refused ?? { code: NO_ROUTE });
      return undefined;
    }
    const edgeSpanId = this.#loops.note(listener, step.ids);
    const exchange: Exchange = new Exchange({
      number,
      tape: this.#tape,
      clock: this.#clock,
      pool: this.#pool,
      route,
      timeLimits,
      req,
      res,
      socket: req.socket,
      carrier: arrival.carrier,
      openedAtNs: arrival.openedAtNs,
      method: req.method ?? '',
      target: req.url ?? '',
      fields: step.fields,
      upgradeHead: arrival.upgradeHead,
      isDraining: () => this.#draining,
      ticketFor: listener === 0 ? this.#turns.ticketsFor(arrival, route.id) : undefined,
      onSettled: () => {
        this.#loops.forget(edgeSpanId);
        this.#onSettled(exchange);
      },
    });
    this.#open.set(exchange, arrival);
    this.#countOpen();
    return exchange;
  }

  /** From now on requests are admitted by these; exchanges that are open keep to theirs. */
  configure(settings: LiveSettings): void {
    const before = upstreamsOf(this.#rules);
    // An upstream that stays is the same object as before, so that its idle connections serve on.
    const kept = (rule: RouteRule): RouteRule => {
      return { ...rule, upstream: [...before].find((each) => isDeepStrictEqual(each, rule.upstream)) ?? rule.upstream };
    };
    this.#settings = { ...settings, routes: settings.routes.map(kept), edges: settings.edges.map(kept) };
    this.#rules = rulesByListener(this.#settings);
    this.#limits.settings = settings.admission;
    this.#turns.configure(settings.turns);
    this.#pool.keepOnly(upstreamsOf(this.#rules));
  }

  get maxConnectionCount(): number {
    return this.#limits.settings.maxConnectionCount;
  }

  onOverflow(): void {
    Atomics.add(this.#control, SLOT.overflowCount, 1);
  }

  onUnreadable(): void {
    Atomics.add(this.#control, SLOT.refusedCount, 1);
  }

  onBroken(socket: Socket, why: 'unreadable' | 'left'): boolean {
    for (const exchange of this.#open.keys()) {
      if (exchange.socket !== socket) continue;
      if (why === 'left') exchange.clientGone();
      else exchange.fail('client_protocol', why);
      return true;
    }
    return false;
  }

  clientGone(number: number): void {
    for (const [exchange, { req }] of this.#open) {
      // While its connection is read the relay learns of a client's end itself, and after what came before it.
      if (exchange.number === number && (req.isPaused() || exchange.isWaiting)) exchange.clientGone();
    }
  }

  /** The loop has come round, and will again by `dueAtNs`. */
  beat(dueAtNs: number): void {
    this.#clock.beat(dueAtNs);
    Atomics.add(this.#control, SLOT.heartbeatCount, 1);
    this.#tape.retryEnds();
  }

  noteLag(lagUs: number): void {
    if (lagUs > Atomics.load(this.#control, SLOT.loopLagUs)) Atomics.store(this.#control, SLOT.loopLagUs, lagUs);
  }

  notePause(startAtNs: number, endAtNs: number): void {
    this.#tape.pause(startAtNs, endAtNs, 'gc');
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** From now on nothing is kept alive; `onEmpty` is called each time the last open exchange has ended. */
  startDrain(onEmpty: () => void): void {
    this.#draining = true;
    this.#onEmpty = onEmpty;
  }

  /** Ends what is still open as cut by us. Returns how many there were. */
  cutAll(): number {
    const cutCount = this.#open.size;
    for (const exchange of this.#open.keys()) exchange.shutDown();
    return cutCount;
  }

  close(): void {
    clearInterval(this.#lookTimer);
    this.#pool.closeIdle();
    this.#tape.retryEnds();
  }

  /** Once a second: memory, and clients that send next to nothing. */
  #look(): void {
    this.#limits.look();
    const { uploadRateMinBytes } = this.#limits.settings;
    if (uploadRateMinBytes === undefined) return;
    for (const [exchange, { req, res }] of this.#open) {
      const sending = { req, res, isWaiting: exchange.isWaiting };
      if (this.#uploadRate.isTooSlow(sending, uploadRateMinBytes)) exchange.fail('client_protocol', SLOW_REQUEST.code);
    }
  }

  #refuse({ req, isOverflow }: Arrival): Refused | undefined {
    if (this.#draining) return { code: ERROR_CODES.shutdown };
    const shed = this.#limits.shedReason(this.#open.size, isOverflow);
    if (shed !== undefined) return { code: ERROR_CODES.shed, reason: shed };
    if (req.method === 'TRACE') return { code: METHOD_REFUSED };
    const refused = refusal({
      method: req.method ?? '',
      target: req.url ?? '',
      majorVersion: req.httpVersionMajor,
      minorVersion: req.httpVersionMinor,
      fields: req.rawHeaders,
    });
    if (refused?.status === 431) return { code: HEAD_TOO_LARGE, detail: refused.detail };
    return refused && { code: ERROR_CODES.client_protocol, detail: refused.detail };
  }

  #openOnTape(arrival: Arrival, exchange: number, routeIndex: number, trace?: TraceIds): void {
    const { req, openedAtNs, upgradeHead, carrier } = arrival;
    const clock = this.#clock;
    clock.read();
    this.#tape.open({
      exchange,
      openedAtNs,
      // A head that waited behind the answers before it was stamped in an earlier turn, of which nothing is known now.
      openedErrorBoundNs: Math.max(0, clock.errorBoundNs - (clock.atNs - openedAtNs)),
      epochMs: epochMs(),
      routeIndex,
      clientPort: req.socket.remotePort ?? 0,
      localPort: req.socket.localPort ?? 0,
      clientAddress: req.socket.remoteAddress ?? '',
      method: req.method ?? '',
      target: req.url ?? '',
      fields: req.rawHeaders,
      upgrade: upgradeHead !== undefined,
      http2: carrier !== req.socket,
      trace,
    });
  }

  /** A request that goes no further: answered by us and ended at once. */
  #answerHere({ req, res }: Arrival, exchange: number, { code, detail, reason = code.code }: Refused): void {
    // What follows on this connection cannot be trusted to be a request.
    if (code.status !== NO_ROUTE.status || !req.complete) closeAfter(req, res);
    respond(res, code, detail);
    req.resume();
    this.#tape.end({
      exchange,
      atNs: nowNs(),
      wireEnd: endOf(code),
      reason,
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
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  #countOpen(): void {
    Atomics.store(this.#control, SLOT.openCount, this.#open.size);
  }
}

/** Refusals that are no fault of the client have ends of their own. */
function endOf(code: ErrorCode): 'shutdown' | 'shed' | 'client_protocol' {
  if (code === ERROR_CODES.shutdown) return 'shutdown';
  return code === ERROR_CODES.shed ? 'shed' : 'client_protocol';
}
