// One exchange: joins the client's socket, the upload, the connection to the engine and the
// download, and sees to it that whatever happens first is the one end.
//
//   start → connection → upload ─────────────► engine
//   client ◄──────────── download ◄─ parser ◄─ engine
//                         └─ first of {complete, engine fault, client gone, limit of ours} → end
import type { Socket } from 'node:net';
import { nowNs } from '../base/clock.ts';
import { ERROR_CODES } from '../base/error-codes.ts';
import { INFORMATIONAL_MAX_COUNT } from '../base/limits.ts';
import { OnceEnd } from '../base/once-end.ts';
import type { WireEnd } from '../base/outcome.ts';
import { ClientSide } from './client-side.ts';
import { Download } from './download.ts';
import { parseCause, type EndCause } from './end-cause.ts';
import type { ExchangePlan } from './exchange-plan.ts';
import { keepAliveHintMs, keepsAlive } from './keep-alive.ts';
import { closeAfter } from './linger.ts';
import { ParseFault, type ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseHandler } from './response-parser.ts';
import { TimeGuard } from './time-guard.ts';
import { Tunnel } from './tunnel.ts';
import { Upload } from './upload.ts';
import type { ConnectionUser, UpstreamConnection } from './upstream-pool.ts';

export class Exchange implements ConnectionUser, ResponseHandler {
  readonly #plan: ExchangePlan;
  readonly #end = new OnceEnd<EndCause>((cause) => this.#onEnd(cause));
  readonly #download: Download;
  readonly #parser = new ResponseParser(this);
  readonly #guard: TimeGuard;
  readonly #client: ClientSide;
  #connection: UpstreamConnection | undefined;
  #upload: Upload | undefined;
  #head: ResponseHead | undefined;
  #informationalCount = 0;
  #answeredByUs = false;
  #upstreamOver = false;
  #tunnel: Tunnel | undefined;
  #paused = false;
  #allGiven = false;
  #settled = false;

  constructor(plan: ExchangePlan) {
    this.#plan = plan;
    this.#guard = new TimeGuard(plan.timeLimits, (wireEnd) => this.fail(wireEnd, 'limit'));
    this.#download = new Download({
      exchange: plan.number,
      tape: plan.tape,
      clock: plan.clock,
      res: plan.res,
      socket: plan.socket,
      chunkable: plan.req.httpVersionMinor === 1,
      onAllFlushed: () => this.#onAllFlushed(),
    });
    this.#client = new ClientSide({
      socket: plan.socket,
      res: plan.res,
      download: this.#download,
      onGone: () => this.clientGone(),
      onFinished: () => this.#onAllGiven(),
    });
  }

  get number(): number {
    return this.#plan.number;
  }

  get socket(): Socket {
    return this.#plan.socket;
  }

  /** Sends the request on. */
  start(): void {
    const { req, number, tape, pool, route, method, target, fields, openedAtNs } = this.#plan;
    this.#guard.onStart();
    tape.mark(number, 'connectStart', nowNs());
    this.#parser.expect(method, this.#plan.upgradeHead !== undefined);
    const connection = pool.acquire(route.upstream, this);
    this.#connection = connection;
    if (connection.ready) this.#noteConnected(connection);
    const onSent = (): void => this.#guard.onSent();
    this.#upload = new Upload({ exchange: number, tape, req, method, target, fields, openedAtNs, onSent }, connection);
    this.#upload.start();
  }

  /** Ends the exchange for a reason of the engine's or ours; echoes are ignored. */
  fail(wireEnd: WireEnd, reason: string): void {
    this.#end.end({ wireEnd, reason });
  }

  /** The drain limit: what has not ended is cut, what has waits no longer for its last bytes to leave. */
  shutDown(): void {
    if (!this.#end.end({ wireEnd: 'shutdown', reason: 'drain limit' })) this.#plan.socket.destroy();
  }

  // --- what the connection says ---------------------------------------------------------------

  onConnected(): void {
    if (this.#connection === undefined) return;
    this.#noteConnected(this.#connection);
    this.#upload?.connected();
  }

  onBytes(bytes: Buffer): boolean {
    const { clock } = this.#plan;
    clock.read();
    this.#download.readStamp();
    this.#guard.onBytes();
    try {
      this.#parser.push(bytes);
    } catch (error) {
      // What was good before the fault leaves before the cut.
      this.#download.readDone();
      this.#end.end(parseCause(error, this.#download.headSent));
      return true;
    }
    const goOn = this.#download.readDone() || this.#upstreamOver;
    this.#paused = !goOn;
    if (!goOn) this.#guard.onPaused();
    return goOn;
  }

  onDrain(): void {
    if (this.#tunnel) this.#tunnel.drain();
    else this.#upload?.drain();
  }

  onEof(): void {
    if (this.#tunnel) return this.#completeTunnel();
    if (this.#parser.finish()) return;
    this.#onBroken('EOF');
  }

  onFault(code: string): void {
    if (this.#tunnel && code === 'CLOSED') return this.#completeTunnel();
    this.#onBroken(code);
  }

  // --- what the parser says -------------------------------------------------------------------

  onInformational(head: ResponseHead): void {
    if (this.#end.ended) return;
    this.#informationalCount += 1;
    if (this.#informationalCount > INFORMATIONAL_MAX_COUNT) throw new ParseFault('too many informational answers');
    this.#plan.tape.mark(this.#plan.number, 'informational', this.#download.readAtNs, head.status);
    this.#download.informational(head);
  }

  onHead(head: ResponseHead): void {
    if (this.#end.ended) return;
    const { tape, number, req, res } = this.#plan;
    this.#head = head;
    tape.head({
      exchange: number,
      receivedAtNs: this.#download.readAtNs,
      status: head.status,
      framing: head.framing,
      fields: head.fields,
    });
    this.#guard.onHead();
    if (head.framing === 'upgrade') return this.#startTunnel(head);
    // An answer before the request is whole: what is left of the request would be taken for the next.
    if (!req.complete || this.#plan.isDraining()) closeAfter(req, res);
    this.#download.head(head);
  }

  onBody(slice: Buffer, more: boolean): void {
    if (!this.#end.ended) this.#download.body(slice, more);
  }

  onComplete(trailers: readonly string[], surplusBytes: number): void {
    if (this.#end.ended) return;
    this.#upstreamOver = true;
    this.#plan.tape.mark(this.#plan.number, 'upstreamEnd', this.#download.readAtNs);
    this.#guard.onAnswered();
    this.#upload?.stop();
    this.#giveBack(surplusBytes === 0);
    this.#download.end(trailers);
  }

  // --- ends -----------------------------------------------------------------------------------

  /** The client closed its connection, or its sending side. */
  clientGone(): void {
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

  #noteConnected(connection: UpstreamConnection): void {
    const { tape, number, pool } = this.#plan;
    tape.connected({ exchange: number, atNs: nowNs(), ...pool.factsOf(connection) });
    this.#guard.onConnected();
  }

  /** Returns the connection to the pool when nothing can be left over on it. */
  #giveBack(clean: boolean): void {
    const connection = this.#connection;
    const head = this.#head;
    this.#connection = undefined;
    if (connection === undefined || head === undefined) return;
    if (clean && this.#upload?.finished === true && keepsAlive(head)) {
      this.#plan.pool.release(connection, keepAliveHintMs(head));
    } else connection.destroy();
  }

  #startTunnel(head: ResponseHead): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#guard.stop();
    this.#download.upgrade(head);
    this.#tunnel = new Tunnel(this.#plan.socket, connection.socket);
    this.#tunnel.start(this.#plan.upgradeHead ?? Buffer.alloc(0));
  }

  /** Either side closed an upgraded connection: what is under way still leaves on both. */
  #completeTunnel(): void {
    const { tape, number } = this.#plan;
    this.#upstreamOver = true;
    tape.mark(number, 'upstreamEnd', nowNs());
    if (this.#connection !== undefined) this.#connection.user = undefined;
    this.#tunnel?.close();
    // Before its bytes have left: what closes now is the end, not a client that leaves.
    this.#end.end({ wireEnd: 'complete', reason: '' });
    this.#onAllGiven();
  }

  #onBroken(code: string): void {
    const connection = this.#connection;
    if (this.#head !== undefined) return this.fail('upstream_aborted', code);
    if (connection !== undefined && !connection.ready) return this.fail('connect_error', code);
    this.fail(connection?.reused ? 'upstream_reset_reused' : 'upstream_closed_before_head', code);
  }

  #onEnd({ wireEnd }: EndCause): void {
    this.#guard.stop();
    this.#upload?.stop();
    if (!this.#upstreamOver) {
      this.#plan.tape.mark(this.#plan.number, 'upstreamEnd', nowNs());
      this.#connection?.destroy();
    }
    this.#connection = undefined;
    this.#tunnel?.stop();
    if (wireEnd === 'complete' || wireEnd === 'client_abort') return;
    if (this.#download.headSent) return this.#client.cut();
    const { res, req } = this.#plan;
    if (!req.complete || wireEnd === 'client_protocol') closeAfter(req, res);
    const code = wireEnd in ERROR_CODES ? ERROR_CODES[wireEnd as keyof typeof ERROR_CODES] : ERROR_CODES.internal_error;
    this.#answeredByUs = this.#client.answer(code);
  }

  #onAllFlushed(): void {
    if (this.#download.unflushedCount > 0) return;
    if (this.#paused) {
      this.#paused = false;
      this.#guard.onResumed();
      this.#connection?.socket.resume();
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
    this.#client.detach();
    const cause = this.#end.cause ?? { wireEnd: 'internal_error', reason: 'unsettled' };
    tape.end({
      exchange: number,
      atNs: nowNs(),
      wireEnd: cause.wireEnd,
      reason: cause.reason,
      answeredByUs: this.#answeredByUs,
      chunkCount: this.#download.chunkCount,
      receivedBytes: this.#download.receivedBytes,
      deliveredBytes: this.#download.deliveredBytes,
      requestBytes: (this.#upload?.byteCount ?? 0) + (this.#tunnel?.byteCount ?? 0),
    });
    onSettled();
  }
}
