// One exchange: joins the client's socket, the upload, the connection to the engine and the
// download, and sees to it that whatever happens first is the one end.
//
//   start → connection → upload ─────────────► engine
//   client ◄──────────── download ◄─ parser ◄─ engine
//                         └─ first of {complete, engine fault, client gone, limit of ours} → end
import type { Socket } from 'node:net';
import { nowNs } from '../base/clock.ts';
import { answerFor } from '../base/error-codes.ts';
import { OnceEnd } from '../base/once-end.ts';
import type { WireEnd } from '../base/outcome.ts';
import { Answer } from './answer.ts';
import { ClientSide } from './client-side.ts';
import { Download } from './download.ts';
import { parseCause, type EndCause } from './end-cause.ts';
import { EngineSide } from './engine-side.ts';
import type { ExchangePlan } from './exchange-plan.ts';
import { attempt, exceptionReason } from './guarded.ts';
import { closeAfter } from './linger.ts';
import type { ResponseHead } from './response-head.ts';
import { StallGuard } from './stall-guard.ts';
import { TimeGuard } from './time-guard.ts';
import { Tunnel } from './tunnel.ts';

export class Exchange {
  readonly #plan: ExchangePlan;
  readonly #end = new OnceEnd<EndCause>((cause) => this.#onEnd(cause));
  readonly #download: Download;
  readonly #answer: Answer;
  readonly #guard: TimeGuard;
  readonly #client: ClientSide;
  readonly #engine: EngineSide;
  readonly #clientStall: StallGuard | undefined;
  #answeredByUs = false;
  #upstreamOver = false;
  #tunnel: Tunnel | undefined;
  #paused = false;
  #allGiven = false;
  #settled = false;

  /**
   * The client closed its connection, or its sending side. Guarded like every entry from outside: see guarded.ts. A
   * field and not set by the constructor: V8 makes a function that is assigned to a property old from its birth, and
   * what it leads to then outlives every collection of the young generation. That was all of each exchange.
   */
  readonly clientGone = (): void => attempt(this.#caught, () => this.#clientGone());
  readonly #caught = (error: unknown): void => this.#onException(error);

  constructor(plan: ExchangePlan) {
    this.#plan = plan;
    const onException = this.#caught;
    this.#guard = new TimeGuard(plan.timeLimits, (wireEnd) => this.fail(wireEnd, 'limit'), onException);
    this.#download = new Download({
      exchange: plan.number,
      tape: plan.tape,
      clock: plan.clock,
      res: plan.res,
      socket: plan.socket,
      chunkable: plan.req.httpVersionMinor === 1,
      onAllFlushed: () => this.#onAllFlushed(),
      onException,
    });
    this.#answer = new Answer({
      plan,
      download: this.#download,
      guard: this.#guard,
      isOver: () => this.#end.ended,
      onUpgrade: (head) => this.#startTunnel(head),
      onWhole: (surplusBytes) => this.#onWhole(surplusBytes),
    });
    this.#client = new ClientSide({
      socket: plan.socket,
      res: plan.res,
      download: this.#download,
      onGone: this.clientGone,
      onFinished: () => attempt(onException, () => this.#onAllGiven()),
    });
    this.#engine = new EngineSide({
      plan,
      guard: this.#guard,
      onBytes: (bytes) => this.#onBytes(bytes),
      onDrain: () => this.#tunnel?.drain(),
      onClosed: (code) => this.#onClosed(code),
      onBroken: (wireEnd, code) => this.#onBroken(wireEnd, code),
      onException,
    });
    this.#clientStall = this.#watchClient(plan.timeLimits.clientStallMs);
  }

  get number(): number {
    return this.#plan.number;
  }

  get socket(): Socket {
    return this.#plan.socket;
  }

  /** It waits for its turn, and nobody reads what its client sends. */
  get isWaiting(): boolean {
    return this.#engine.isWaiting;
  }

  /** Ends the exchange for a reason of the engine's or ours; echoes are ignored. */
  fail(wireEnd: WireEnd, reason: string): void {
    this.#end.end({ wireEnd, reason });
  }

  /** The drain limit: what has not ended is cut, what has waits no longer for its last bytes to leave. */
  shutDown(): void {
    if (!this.#end.end({ wireEnd: 'shutdown', reason: 'drain limit' })) this.#plan.socket.destroy();
  }

  start(): void {
    attempt(this.#caught, () => {
      this.#answer.expect();
      this.#engine.start();
    });
  }

  // --- what the engine's side says ------------------------------------------------------------

  #onBytes(bytes: Buffer): boolean {
    try {
      const { clock } = this.#plan;
      clock.read();
      this.#download.readStamp();
      this.#guard.onBytes(clock.atNs);
      this.#answer.push(bytes);
      const goOn = this.#download.readDone() || this.#upstreamOver;
      this.#paused = !goOn;
      if (!goOn) this.#guard.onPaused();
      return goOn;
    } catch (error) {
      this.#onUnreadable(error);
      return true;
    }
  }

  #onUnreadable(error: unknown): void {
    try {
      // What was good before the fault leaves before the cut.
      this.#download.readDone();
      if (this.#end.end(parseCause(error, this.#download.headSent))) return;
    } catch (second) {
      return this.#onException(second);
    }
    this.#onException(error);
  }

  #onClosed(code: string): boolean {
    if (this.#tunnel === undefined) return code === 'EOF' && this.#answer.finish();
    this.#completeTunnel();
    return true;
  }

  #onBroken(wireEnd: WireEnd, code: string): void {
    const isCut = this.#answer.keepAlive !== undefined && wireEnd !== 'upload_stalled';
    this.fail(isCut ? 'upstream_aborted' : wireEnd, code);
  }

  /**
   * With an upload that is not over the engine is told to expect no more of it, by the end of our side: what
   * RFC 9112 §9.5 asks for where the engine refuses the body and closes. Where it does neither the rest is not
   * awaited either, since the client was told that its connection ends, and nginx and Envoy do the same.
   */
  #onWhole(surplusBytes: number): void {
    const { tape, number } = this.#plan;
    this.#upstreamOver = true;
    tape.mark(number, 'upstreamEnd', this.#download.readAtNs);
    this.#guard.onAnswered();
    this.#engine.stopUpload();
    const { keepAlive } = this.#answer;
    if (keepAlive !== undefined) this.#engine.giveBack(keepAlive, surplusBytes === 0);
  }

  // --- ends -----------------------------------------------------------------------------------

  #clientGone(): void {
    if (this.#tunnel && !this.#end.ended) return this.#completeTunnel();
    this.fail('client_abort', '');
    // A client that has only closed its sending side is treated as gone: so do the other proxies,
    // and an engine that goes on for nobody costs more than the few that half-close.
    this.#plan.socket.destroy();
    this.#settle();
  }

  /** Nothing more will be written to the client; whether the kernel has it all, the flushes say. */
  #onAllGiven(): void {
    this.#allGiven = true;
    this.#onAllFlushed();
  }

  #startTunnel(head: ResponseHead): void {
    const { connection } = this.#engine;
    if (connection === undefined) return;
    this.#guard.stop();
    this.#download.upgrade(head);
    this.#engine.becomeTunnel();
    this.#tunnel = new Tunnel(this.#plan.socket, connection.socket, (error) => this.#onException(error));
    this.#tunnel.start(this.#plan.upgradeHead ?? Buffer.alloc(0));
  }

  /** Either side closed an upgraded connection: what is under way still leaves on both. */
  #completeTunnel(): void {
    const { tape, number } = this.#plan;
    this.#upstreamOver = true;
    tape.mark(number, 'upstreamEnd', nowNs());
    this.#engine.leave();
    this.#tunnel?.close();
    // Before its bytes have left: what closes now is the end, not a client that leaves.
    this.#end.end({ wireEnd: 'complete', reason: '' });
    this.#onAllGiven();
  }

  /** The one end: what is still under way on either side is stopped, and the client is told. */
  #onEnd(cause: EndCause): void {
    try {
      this.#stop();
      this.#tellClient(cause);
    } catch (error) {
      this.#onException(error);
    }
  }

  #stop(): void {
    this.#guard.stop();
    this.#engine.stopUpload();
    this.#tunnel?.stop();
    // Unless it was given back. Before the mark: should the tape fail, the engine has been told.
    this.#engine.cut();
    if (!this.#upstreamOver) this.#plan.tape.mark(this.#plan.number, 'upstreamEnd', nowNs());
  }

  #tellClient({ wireEnd, reason }: EndCause): void {
    if (wireEnd === 'complete' || wireEnd === 'client_abort') return;
    // Whoever takes nothing is not told by more bytes, and what waits for it is dropped at once.
    if (wireEnd === 'client_stalled') return this.#client.reset();
    if (this.#download.headSent) return this.#client.cut();
    const { res, req } = this.#plan;
    if (!req.complete || wireEnd === 'client_protocol') closeAfter(req, res);
    const { retryAfterSeconds } = this.#engine;
    const code = answerFor(wireEnd, reason);
    this.#answeredByUs = this.#client.answer(retryAfterSeconds === undefined ? code : { ...code, retryAfterSeconds });
  }

  /** Something of ours threw: this exchange ends, by an answer if there is still one to give. */
  #onException(error: unknown): void {
    if (this.#end.end({ wireEnd: 'internal_error', reason: exceptionReason(error) })) return;
    // Ending it failed, or it threw behind its end. Nothing is expected to work any more.
    this.#engine.cut();
    this.#plan.socket.destroy();
    this.#settle();
  }

  #watchClient(limitMs: number | undefined): StallGuard | undefined {
    if (limitMs === undefined) return undefined;
    const onStall = (): void => this.fail('client_stalled', 'limit');
    return new StallGuard({ socket: this.#plan.socket, limitMs, isHeldByUs: () => false, onStall });
  }

  #onAllFlushed(): void {
    if (this.#download.unflushedCount > 0) return;
    if (this.#paused) {
      this.#paused = false;
      this.#guard.onResumed();
      this.#engine.resume();
    }
    if (!this.#allGiven) return this.#client.flushed();
    // An answer of our own has its cause already; for any other this is the good end.
    this.#end.end({ wireEnd: 'complete', reason: '' });
    this.#settle();
  }

  /** Nothing more happens on either side: the last word on the tape. */
  #settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    const { tape, number, onSettled } = this.#plan;
    this.#clientStall?.stop();
    this.#client.detach();
    const cause = this.#end.cause ?? { wireEnd: 'internal_error', reason: 'unsettled' };
    try {
      tape.end({
        exchange: number,
        atNs: nowNs(),
        wireEnd: cause.wireEnd,
        reason: cause.reason,
        answeredByUs: this.#answeredByUs,
        chunkCount: this.#download.chunkCount,
        receivedBytes: this.#download.receivedBytes,
        deliveredBytes: this.#download.deliveredBytes,
        requestBytes: this.#engine.requestBytes + (this.#tunnel?.byteCount ?? 0),
      });
    } finally {
      onSettled();
    }
  }
}
