// The engine's end of one exchange: waits for its turn where there is a line, gets a connection, sends the request
// on it, gives it back or closes it, and sends the request a second time where that is safe. Decides nothing about
// the answer.
import { nowNs } from '../base/clock.ts';
import type { WireEnd } from '../base/outcome.ts';
import { shortageOf } from './admission-limits.ts';
import type { Ticket } from './admission-queue.ts';
import type { ExchangePlan } from './exchange-plan.ts';
import { attempt, type OnException } from './guarded.ts';
import type { KeepAlive } from './keep-alive.ts';
import { mayRetry } from './retry.ts';
import { StallGuard } from './stall-guard.ts';
import type { TimeGuard } from './time-guard.ts';
import { Upload } from './upload.ts';
import type { ConnectionUser, UpstreamConnection } from './upstream-pool.ts';

export interface EngineSideOptions {
  readonly plan: ExchangePlan;
  readonly guard: TimeGuard;
  /** Bytes of the answer; false stops reading until `resume`. */
  readonly onBytes: (bytes: Buffer) => boolean;
  /** The connection takes bytes again. */
  readonly onDrain: () => void;
  /** The engine has closed; true when that was the proper end of its answer. */
  readonly onClosed: (code: string) => boolean;
  /** The connection ended and nothing can be saved. */
  readonly onBroken: (wireEnd: WireEnd, code: string) => void;
  readonly onException: OnException;
}

export class EngineSide implements ConnectionUser {
  readonly #options: EngineSideOptions;
  readonly #ticket: Ticket | undefined;
  #connection: UpstreamConnection | undefined;
  /** The request while it is sent. A stream goes on for long after that, and has no use for it. */
  #upload: Upload | undefined;
  #sent = { byteCount: 0, hasBody: true, isWhole: false };
  #stallGuard: StallGuard | undefined;
  #answered = false;
  #retried = false;
  /** We read no more because the client takes no more. */
  #paused = false;

  constructor(options: EngineSideOptions) {
    this.#options = options;
    this.#ticket = options.plan.ticketFor?.({
      onTurn: (hasWaited) => this.#attempt(() => this.#begin(hasWaited)),
      onRefused: (reason) => this.#attempt(() => options.onBroken('shed', reason)),
    });
  }

  onConnected(): void {
    this.#attempt(() => this.#connected());
  }

  onDrain(): void {
    this.#attempt(() => {
      this.#upload?.drain();
      this.#options.onDrain();
    });
  }

  onEof(): void {
    this.#attempt(() => {
      if (!this.#options.onClosed('EOF')) this.#broken('EOF');
    });
  }

  onFault(code: string): void {
    this.#attempt(() => {
      if (code !== 'CLOSED' || !this.#options.onClosed(code)) this.#broken(code);
    });
  }

  /** The client's connection stands for the client. */
  get client(): object {
    return this.#options.plan.carrier;
  }

  get connection(): UpstreamConnection | undefined {
    return this.#connection;
  }

  /** Body bytes taken from the client. */
  get requestBytes(): number {
    return this.#upload?.byteCount ?? this.#sent.byteCount;
  }

  /** It stands in line, and has asked the engine for nothing yet. */
  get isWaiting(): boolean {
    return this.#ticket?.isWaiting === true;
  }

  /** When to come again, where it was refused in the queue. */
  get retryAfterSeconds(): number | undefined {
    return this.#ticket?.retryAfterSeconds;
  }

  start(): void {
    this.#options.guard.onStart();
    if (this.#ticket === undefined) this.#begin(false);
    else this.#ticket.ask();
  }

  #begin(hasWaited: boolean): void {
    const { plan, guard } = this.#options;
    if (hasWaited) plan.tape.mark(plan.number, 'admitted', nowNs());
    guard.onConnect();
    plan.tape.mark(plan.number, 'connectStart', nowNs());
    this.#send(plan.pool.acquire(plan.route.upstream, this));
  }

  onBytes(bytes: Buffer): boolean {
    this.#answered = true;
    const goOn = this.#options.onBytes(bytes);
    this.#paused = !goOn;
    return goOn;
  }

  resume(): void {
    this.#paused = false;
    this.#connection?.socket.resume();
  }

  /** Gives nothing more to the engine; what the client still sends is read and dropped. */
  stopUpload(): void {
    this.#stallGuard?.stop();
    this.#upload?.stop();
  }

  /** From now on the bytes of both sides are no request and no answer. */
  becomeTunnel(): void {
    this.#stallGuard?.stop();
  }

  /** Nobody listens to the connection any more; it is closed by whoever has its socket. */
  leave(): void {
    if (this.#connection !== undefined) this.#connection.user = undefined;
    this.#connection = undefined;
    this.#ticket?.leave();
  }

  /** Returns the connection to the pool when nothing can be left over on it. */
  giveBack(answer: KeepAlive, clean: boolean): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#release(connection, answer, clean);
    // Behind it, so that whoever is next finds the connection.
    this.#ticket?.leave();
  }

  #release(connection: UpstreamConnection, answer: KeepAlive, clean: boolean): void {
    const { pool } = this.#options.plan;
    if (!clean) pool.noteSurplus(connection.target);
    if (answer.breaksItsWord) pool.doubt(connection.target);
    if (clean && this.#sent.isWhole && answer.keeps) pool.release(connection, answer.hintMs);
    else connection.destroy();
  }

  /** Ends the engine's work. */
  cut(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#ticket?.leave();
  }

  #send(connection: UpstreamConnection): void {
    const { plan, guard, onException } = this.#options;
    const { number, tape, req, method, target, fields, openedAtNs, timeLimits } = plan;
    this.#connection = connection;
    if (connection.ready) this.#noteConnected(connection);
    const onSent = (): void => {
      const { byteCount, hasBody } = this.#upload as Upload;
      this.#sent = { byteCount, hasBody, isWhole: true };
      this.#upload = undefined;
      guard.onSent();
    };
    this.#sent = { byteCount: 0, hasBody: true, isWhole: false };
    const parts = { exchange: number, tape, req, method, target, fields, openedAtNs, onSent, onException };
    this.#upload = new Upload(parts, connection);
    if (timeLimits.uploadStallMs !== undefined && this.#upload.hasBody) {
      this.#stallGuard = new StallGuard({
        socket: connection.socket,
        limitMs: timeLimits.uploadStallMs,
        // Connecting has a limit of its own. And an engine whose answer we do not read may wait for just that.
        isHeldByUs: () => !connection.ready || this.#paused,
        onStall: () => this.#options.onBroken('upload_stalled', ''),
      });
    }
    this.#upload.start();
  }

  #connected(): void {
    if (this.#connection === undefined) return;
    this.#noteConnected(this.#connection);
    this.#upload?.connected();
  }

  #attempt(work: () => void): void {
    attempt(this.#options.onException, work);
  }

  #noteConnected(connection: UpstreamConnection): void {
    const { plan, guard } = this.#options;
    plan.tape.connected({ exchange: plan.number, atNs: nowNs(), ...plan.pool.factsOf(connection) });
    guard.onConnected();
  }

  #broken(code: string): void {
    const connection = this.#connection;
    if (connection !== undefined && this.#retry(connection)) return;
    if (connection !== undefined && !connection.ready) {
      // Where we have no socket left the engine is not to blame.
      const shortage = shortageOf(code);
      if (shortage !== undefined) return this.#options.onBroken('shed', shortage);
      return this.#options.onBroken('connect_error', code);
    }
    this.#options.onBroken(connection?.reused ? 'upstream_reset_reused' : 'upstream_closed_before_head', code);
  }

  /** Sends the request again, on a connection of its own, if it may be. */
  #retry(connection: UpstreamConnection): boolean {
    const { plan, guard } = this.#options;
    const { reused } = connection;
    const hasBody = this.#upload?.hasBody ?? this.#sent.hasBody;
    const again = { method: plan.method, hasBody, reused, answered: this.#answered, retried: this.#retried };
    if (!mayRetry(again)) return false;
    this.#retried = true;
    connection.destroy();
    plan.tape.mark(plan.number, 'retried', nowNs());
    guard.onRetry();
    this.#send(plan.pool.acquireFresh(plan.route.upstream, this));
    return true;
  }
}
