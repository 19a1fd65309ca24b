// Watches, for each route whose model and accelerators are known, how long its decode steps are and what they have to
// carry: gaps as they are told to sinks, the batch by a look at the open exchanges once a second. What a step is: the
// gap before a read that brought one event; a read that brought several holds more than one step, or one and a hop's
// doing. An engine that sends several steps in one event makes its steps look as much longer.
import { FLOOR_LOOK_MS, FLOOR_LOOK_CONTEXTS_MAX_COUNT } from '../../base/floor-limits.ts';
import { type FloorSight, type FloorState, floorState } from '../../judge/floor/live.ts';
import type { ExchangeLabels, Sink } from '../../judge/report.ts';
import type { FloorPlace } from '../../record/floor-facts.ts';
import { BatchWindow } from './batch-window.ts';
import { StepWindow } from './step-window.ts';

/** A stream whose first token has come. */
export interface OpenDecode {
  readonly route: string;
  /** Tokens of its prompt and of its answer so far; absent when the prompt's are not known. Asked for only where needed. */
  readonly contextTokens: () => number | undefined;
}

export interface FloorWatchOptions {
  readonly nowNs: () => number;
  readonly openDecodes: () => Iterable<OpenDecode>;
  /** Sequences of all clients in the engine's batch, where its metrics say so and are not stale. */
  readonly runningCount: (route: string) => number | undefined;
}

interface WatchedRoute {
  readonly place: FloorPlace;
  readonly steps: StepWindow;
  readonly batches: BatchWindow;
}

/** How long a look at all routes holds. */
const STATES_KEPT_NS = 200e6;

export class FloorWatch {
  readonly #options: FloorWatchOptions;
  readonly #routes = new Map<string, WatchedRoute>();
  /** The last gap of each exchange, until it is known that its read brought nothing more. */
  readonly #pending = new WeakMap<ExchangeLabels, number>();
  #timer: NodeJS.Timeout | undefined;
  #latest: { readonly atNs: number; readonly states: readonly FloorState[] } | undefined;
  readonly sink: Sink;

  constructor(options: FloorWatchOptions) {
    this.#options = options;
    this.sink = {
      name: 'floor',
      onGap: (labels, point, gapNs) => {
        if (point === 'received') this.#onGap(labels, gapNs);
      },
      onCoalesced: (labels) => void this.#pending.delete(labels),
      // A gap that nobody trusts parts what was before it from what comes: the one before is over all the same.
      onTaintedGap: (labels) => this.#settle(labels),
      onReport: ({ labels }) => this.#settle(labels),
    };
  }

  /** From now on these routes have floors. What was seen of a route whose floor is another now is void. */
  configure(routes: readonly { readonly name: string; readonly floor?: FloorPlace }[]): void {
    const before = new Map(this.#routes);
    this.#latest = undefined;
    this.#routes.clear();
    for (const { name, floor } of routes) {
      if (floor === undefined) continue;
      const known = before.get(name);
      const isSame = known !== undefined && JSON.stringify(known.place) === JSON.stringify(floor);
      this.#routes.set(name, isSame ? known : { place: floor, steps: new StepWindow(), batches: new BatchWindow() });
    }
    if (this.#routes.size > 0) this.#timer ??= setInterval(() => this.look(), FLOOR_LOOK_MS).unref();
    else this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  states(): readonly FloorState[] {
    const nowNs = this.#options.nowNs();
    // One collection asks for every gauge on its own, and a median is worth sorting for once.
    if (this.#latest === undefined || nowNs - this.#latest.atNs > STATES_KEPT_NS) {
      const states = [...this.#routes].map(([route, watched]) => {
        return floorState(route, watched.place, sightOf(watched, nowNs));
      });
      this.#latest = { atNs: nowNs, states };
    }
    return this.#latest.states;
  }

  /** The least that a step can take on a route now; undefined where that is not known. */
  floorNs(route: string): number | undefined {
    return this.states().find((state) => state.route === route)?.floorNs;
  }

  /** Looks who decodes now. */
  look(): void {
    const atNs = this.#options.nowNs();
    for (const [route, { seenCount, knownCount, tokens }] of this.#lookAtOpen()) {
      if (knownCount === 0) continue;
      const running = this.#options.runningCount(route);
      // An engine that has not noticed yet what is running has nothing to say of it.
      const isKnown = running !== undefined && running > 0;
      this.#routes.get(route)?.batches.add({
        atNs,
        batchCount: isKnown ? running : seenCount,
        contextTokens: tokens / knownCount,
        basis: isKnown ? 'engine' : 'seen',
      });
    }
  }

  #lookAtOpen() {
    const sums = new Map<string, { seenCount: number; askedCount: number; knownCount: number; tokens: number }>();
    for (const { route, contextTokens } of this.#options.openDecodes()) {
      if (!this.#routes.has(route)) continue;
      const sum = sums.get(route) ?? { seenCount: 0, askedCount: 0, knownCount: 0, tokens: 0 };
      sums.set(route, sum);
      sum.seenCount += 1;
      if (sum.askedCount >= FLOOR_LOOK_CONTEXTS_MAX_COUNT) continue;
      sum.askedCount += 1;
      const tokens = contextTokens();
      if (tokens === undefined) continue;
      sum.knownCount += 1;
      sum.tokens += tokens;
    }
    return sums;
  }

  #onGap(labels: ExchangeLabels, gapNs: number): void {
    if (labels.edge !== undefined || !this.#routes.has(labels.route)) return;
    this.#settle(labels);
    this.#pending.set(labels, gapNs);
  }

  /** The pending gap's read is over, and brought one event. */
  #settle(labels: ExchangeLabels): void {
    const gapNs = this.#pending.get(labels);
    if (gapNs === undefined) return;
    this.#pending.delete(labels);
    this.#routes.get(labels.route)?.steps.add(gapNs, this.#options.nowNs());
  }
}

function sightOf({ steps, batches }: WatchedRoute, nowNs: number): FloorSight | undefined {
  const mean = batches.mean(nowNs);
  if (mean === undefined) return undefined;
  const stepNs = steps.medianNs(nowNs);
  return stepNs === undefined ? mean : { ...mean, stepNs };
}
