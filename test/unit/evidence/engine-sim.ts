// An imagined engine on a virtual clock, for studying what a calibrated model makes of it: chunked
// prefill beside running sequences, attention that grows with the square of the prompt, unsteady steps,
// hidden neighbours, a speed that changes. Written apart from the reference engine on purpose, so that
// the model is not tuned to one scheduler.
import type { Neighbour } from '../../../src/evidence/calibration.ts';
import { seededRandom, type Random } from '../../../src/client/random.ts';

export interface SimEngine {
  /** Prompt tokens a second, without the base of steps. */
  readonly tokensPerSecond: number;
  readonly stepBaseMs: number;
  readonly stepTokens: number;
  /** Time of attention over 8,192 tokens as a share of their linear time. */
  readonly squareShare: number;
  readonly decodeMs: number;
  readonly maxRunning: number;
  /** HTTP front end, tokenising: before the queue, at every request. */
  readonly frontMs: number;
  /** Half width of a uniform, or deviation of a normal, factor on time: of every step, or of all of one request. */
  readonly noise: { readonly of: 'step' | 'request'; readonly kind: 'uniform' | 'normal'; readonly ratio: number };
  /** Mean of an exponential time on the wire. */
  readonly jitterMs: number;
}

export interface SimLoad {
  readonly count: number;
  /** Work that arrives over work that can be done. */
  readonly load: number;
  readonly sizes: readonly [number, number];
  readonly outputs: readonly [number, number];
  readonly cachedShare: number;
  /** Share of arrivals that come by another way and are not seen. */
  readonly hiddenShare: number;
  /** From this arrival on the engine is so many times as fast. */
  readonly change?: { readonly at: number; readonly speed: number };
}

export interface SimExchange {
  /** Position by arrival. */
  readonly index: number;
  readonly uncachedTokens: number;
  readonly tookNs: number;
  readonly metIdle: boolean;
  /** Others that were without a token before this one's own came. */
  readonly neighbours: readonly Neighbour[];
  /** Waiting, and prefill with whatever shared its steps, as an engine would state them. */
  readonly queueNs: number;
  readonly prefillNs: number;
  /** Prefill as it would have been in steps of its own. */
  readonly aloneNs: number;
}

interface Job {
  readonly index: number;
  readonly arrivedAtMs: number;
  readonly tokens: number;
  readonly outputs: number;
  readonly factor: number;
  readonly metOthers: boolean;
  joined: boolean;
  left: number;
  produced: number;
  aloneMs: number;
  startAtMs: number;
  tokenAtMs: number | undefined;
  endAtMs: number;
}

/** Requests from which a mean cost is taken, to turn a load into a rate. */
const PROBE_COUNT = 400;

class Simulation {
  readonly #engine: SimEngine;
  readonly #load: SimLoad;
  readonly #random: Random;
  readonly #everyMs: number;
  readonly #waiting: Job[] = [];
  readonly #open = new Set<Job>();
  #running: Job[] = [];
  #nowMs = 0;
  #nextArrivalMs = 0;
  #visibleCount = 0;
  readonly done: Job[] = [];

  constructor(engine: SimEngine, load: SimLoad, seed: number) {
    this.#engine = engine;
    this.#load = load;
    this.#random = seededRandom(seed);
    let workMs = 0;
    for (let probe = 0; probe < PROBE_COUNT; probe += 1) workMs += this.#costMs();
    this.#everyMs = workMs / PROBE_COUNT / load.load;
  }

  run(): void {
    while (this.done.length < this.#load.count) {
      if (this.#running.length + this.#waiting.length === 0) this.#nowMs = Math.max(this.#nowMs, this.#nextArrivalMs);
      this.#arrivals();
      this.#step();
    }
  }

  /** One step: a token for each running sequence, the rest of the budget to prompts, first come first served. */
  #step(): void {
    const { stepBaseMs, stepTokens, decodeMs, maxRunning } = this.#engine;
    const decoding = this.#running.filter(({ left }) => left === 0);
    let budget = stepTokens - decoding.length;
    let workMs = stepBaseMs + decoding.length * decodeMs;
    const pieces: { job: Job; count: number; ownMs: number }[] = [];
    const prefilling = this.#running.filter(({ left }) => left > 0);
    let free = maxRunning - this.#running.length;
    for (const job of [...prefilling, ...this.#waiting]) {
      const waits = !prefilling.includes(job);
      if (budget <= 0 || (waits && free <= 0)) break;
      if (waits) {
        free -= 1;
        job.startAtMs = this.#nowMs;
        this.#waiting.shift();
        this.#running.push(job);
      }
      const count = Math.min(budget, job.left);
      const ownMs = this.#prefillMs(job.tokens - job.left, count) * job.factor + (job.factor - 1) * stepBaseMs;
      workMs += ownMs;
      budget -= count;
      pieces.push({ job, count, ownMs });
    }
    const pace = this.#factor('step') / this.#speed();
    this.#nowMs += Math.max(workMs, 0.01) * pace;
    for (const job of decoding) this.#token(job);
    // Whoever came during the step came before its tokens.
    this.#arrivals();
    for (const { job, count, ownMs } of pieces) {
      job.aloneMs += (stepBaseMs + ownMs) * pace;
      job.left -= count;
      if (job.left === 0) this.#token(job);
    }
  }

  #token(job: Job): void {
    job.tokenAtMs ??= this.#nowMs;
    job.produced += 1;
    if (job.produced < job.outputs) return;
    job.endAtMs = this.#nowMs;
    this.#running = this.#running.filter((other) => other !== job);
    this.#open.delete(job);
    if (job.index >= 0) this.done.push(job);
  }

  #arrivals(): void {
    while (this.#nextArrivalMs <= this.#nowMs) {
      this.#arrive();
      this.#nextArrivalMs += this.exponential(this.#everyMs);
    }
  }

  #arrive(): void {
    const hidden = this.#random() < this.#load.hiddenShare;
    const prompt = this.#logUniform(this.#load.sizes);
    const isCached = this.#random() < this.#load.cachedShare;
    const tokens = Math.max(1, prompt - (isCached ? Math.floor(prompt * (0.2 + 0.75 * this.#random())) : 0));
    const job: Job = {
      index: hidden ? -1 : this.#visibleCount,
      arrivedAtMs: this.#nextArrivalMs,
      tokens,
      outputs: this.#logUniform(this.#load.outputs),
      factor: this.#factor('request'),
      metOthers: this.#open.size > 0,
      joined: false,
      left: tokens,
      produced: 0,
      aloneMs: 0,
      startAtMs: 0,
      tokenAtMs: undefined,
      endAtMs: 0,
    };
    this.#waiting.push(job);
    if (hidden) return;
    this.#visibleCount += 1;
    for (const other of this.#open) other.joined ||= other.tokenAtMs === undefined;
    this.#open.add(job);
  }

  #prefillMs(from: number, count: number): number {
    const { tokensPerSecond, squareShare } = this.#engine;
    const msAToken = 1_000 / tokensPerSecond;
    return count * msAToken + ((msAToken * squareShare) / 8_192) * ((from + count) ** 2 - from ** 2);
  }

  /** What a request costs when the batch is full. */
  #costMs(): number {
    const { stepTokens, stepBaseMs, maxRunning, decodeMs } = this.#engine;
    const tokens = this.#logUniform(this.#load.sizes) * (this.#random() < this.#load.cachedShare ? 0.3 : 1);
    const prefillMs = Math.ceil(tokens / stepTokens) * stepBaseMs + this.#prefillMs(0, tokens);
    return prefillMs + this.#logUniform(this.#load.outputs) * (stepBaseMs / maxRunning + decodeMs);
  }

  #speed(): number {
    const { change } = this.#load;
    return change !== undefined && this.#visibleCount > change.at ? change.speed : 1;
  }

  #factor(of: SimEngine['noise']['of']): number {
    const { noise } = this.#engine;
    if (noise.of !== of) return 1;
    const share =
      noise.kind === 'uniform'
        ? 2 * this.#random() - 1
        : Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
    return Math.max(0.3, 1 + noise.ratio * share);
  }

  #logUniform([from, to]: readonly [number, number]): number {
    return Math.round(from * (to / from) ** this.#random());
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.#random()) * mean;
  }
}

/** Exchanges in the order of their ends, which is the order in which they are judged. */
export function simulate(engine: SimEngine, load: SimLoad, seed: number): SimExchange[] {
  const simulation = new Simulation(engine, load, seed);
  simulation.run();
  const { done } = simulation;
  return done.map((job) => {
    const { tokenAtMs = NaN, arrivedAtMs, endAtMs, startAtMs } = job;
    const others = done.filter(
      (other) =>
        other !== job &&
        other.arrivedAtMs < tokenAtMs &&
        (other.tokenAtMs ?? NaN) > arrivedAtMs &&
        (other.tokenAtMs ?? NaN) <= endAtMs,
    );
    return {
      index: job.index,
      uncachedTokens: job.tokens,
      tookNs: ns(engine.frontMs + tokenAtMs - arrivedAtMs + simulation.exponential(engine.jitterMs)),
      metIdle: !job.metOthers && !job.joined,
      neighbours: others.map((other) => ({
        tokenAfterNs: ns((other.tokenAtMs ?? NaN) - tokenAtMs),
        tokens: other.tokens,
      })),
      queueNs: ns(startAtMs - arrivedAtMs),
      prefillNs: ns(tokenAtMs - startAtMs),
      aloneNs: ns(job.aloneMs),
    };
  });
}

function ns(ms: number): number {
  return Math.round(ms * 1e6);
}
