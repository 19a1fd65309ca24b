// The engine's answer as its parser reads it, on to the download: heads, pieces of body, the end. What is
// odd about an answer (many informational ones, a 101) is noticed here; what follows from it is not.
import { INFORMATIONAL_MAX_COUNT } from '../base/limits.ts';
import type { Download } from './download.ts';
import type { ExchangePlan } from './exchange-plan.ts';
import { keepAliveOf, type KeepAlive } from './keep-alive.ts';
import { closeAfter } from './linger.ts';
import { ParseFault, type ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseHandler } from './response-parser.ts';
import type { TimeGuard } from './time-guard.ts';

const NO_FIELDS: readonly string[] = [];

export interface AnswerOptions {
  readonly plan: ExchangePlan;
  readonly download: Download;
  readonly guard: TimeGuard;
  /** The exchange has ended: what the parser still finds in this read is nobody's. */
  readonly isOver: () => boolean;
  /** The engine agreed to an upgrade that was asked for. */
  readonly onUpgrade: (head: ResponseHead) => void;
  /** The answer is whole on the engine's side; its end has not been passed on yet. */
  readonly onWhole: (surplusBytes: number) => void;
}

export class Answer implements ResponseHandler {
  readonly #options: AnswerOptions;
  readonly #parser = new ResponseParser(this);
  #informationalCount = 0;
  /** Of the final head, once it came. */
  keepAlive: KeepAlive | undefined;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Makes ready for the answer to the request. */
  expect(): void {
    const { method, upgradeHead } = this.#options.plan;
    this.#parser.expect(method, upgradeHead !== undefined);
  }

  /** Takes bytes as they came. Throws what the parser, or Node when it writes a head, makes of a bad answer. */
  push(bytes: Buffer): void {
    this.#parser.push(bytes);
  }

  /** The connection ended. True when that is a proper end of the answer. */
  finish(): boolean {
    return this.#parser.finish();
  }

  onInformational(head: ResponseHead): void {
    const { plan, download, isOver } = this.#options;
    if (isOver()) return;
    this.#informationalCount += 1;
    if (this.#informationalCount > INFORMATIONAL_MAX_COUNT) throw new ParseFault('too many informational answers');
    plan.tape.mark(plan.number, 'informational', download.readAtNs, head.status);
    download.informational(head);
  }

  onHead(head: ResponseHead, more: boolean): void {
    const { plan, download, guard, isOver, onUpgrade } = this.#options;
    if (isOver()) return;
    const { tape, number, req, res } = plan;
    this.keepAlive = keepAliveOf(head);
    tape.head({
      exchange: number,
      receivedAtNs: download.readAtNs,
      status: head.status,
      framing: head.framing,
      fields: head.fields,
    });
    guard.onHead();
    if (head.framing === 'upgrade') return onUpgrade(head);
    // An answer before the request is whole: what is left of the request would be taken for the next.
    if (!req.complete || plan.isDraining()) closeAfter(req, res);
    download.head(head, more);
    this.#forgetRequest();
  }

  /** What was said before the answer is of no use behind it, and a stream would hold it for its whole life. */
  #forgetRequest(): void {
    const { plan } = this.#options;
    plan.fields = NO_FIELDS;
    if (plan.req.complete) plan.req.rawHeaders = [];
  }

  onBody(slice: Buffer, more: boolean): void {
    if (!this.#options.isOver()) this.#options.download.body(slice, more);
  }

  onComplete(trailers: readonly string[], surplusBytes: number): void {
    const { download, isOver, onWhole } = this.#options;
    if (isOver()) return;
    onWhole(surplusBytes);
    download.end(trailers);
  }
}
