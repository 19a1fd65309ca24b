// A crowd of clients with an engine of their own: streams of all kinds of ends through a proxy between, each
// checked to the byte. Counts what came out as it should and keeps notes of what did not.
import { Client } from './client.ts';
import { CrowdEngine, KINDS, type Kind, type StreamPlan } from './crowd-engine.ts';
import { Ticker } from './ticker.ts';

/** Notes of faults kept; all are counted. */
const NOTES_MAX_COUNT = 20;

export class Crowd {
  readonly ticker: Ticker;
  readonly engine: CrowdEngine;
  /** Streams that ended as their kind says. */
  readonly goodCounts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  faultCount = 0;
  readonly notes: string[] = [];
  /** Streams open now, and of these the ones whose client has seen a first event. */
  openCount = 0;
  begunCount = 0;
  /** The latest stream's number. */
  lastNumber = 0;

  private constructor(ticker: Ticker, engine: CrowdEngine) {
    this.ticker = ticker;
    this.engine = engine;
  }

  static async start(): Promise<Crowd> {
    const ticker = new Ticker();
    return new Crowd(ticker, await CrowdEngine.start(ticker));
  }

  /** Plays one stream through the proxy at this port; resolves when it is over on both sides. */
  async play(port: number, plan: StreamPlan): Promise<void> {
    this.lastNumber += 1;
    const stream = this.lastNumber;
    this.openCount += 1;
    this.engine.plans.set(stream, plan);
    const client = new Client({ port, stream, plan, ticker: this.ticker, engine: this.engine });
    client.onBegun = () => {
      this.begunCount += 1;
    };
    const fault = await client.over;
    this.openCount -= 1;
    if (client.begun) this.begunCount -= 1;
    this.engine.forget(stream);
    if (fault === undefined) this.goodCounts[plan.kind] += 1;
    else this.#note(`${plan.kind} ${stream}: ${fault}`);
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    this.ticker.stop();
  }

  #note(text: string): void {
    this.faultCount += 1;
    if (this.notes.length < NOTES_MAX_COUNT) this.notes.push(text);
  }
}
