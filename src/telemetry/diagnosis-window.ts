// The sink behind /api/diagnosis: for each route the last ten minutes in slices of ten seconds, and the fifty minutes
// before them, so that a diagnosis can say what moved. Bounded: counts in buckets, nothing for each exchange.
import { DIAGNOSIS_BEFORE_BLOCKS_COUNT, DIAGNOSIS_SLICE_MS, DIAGNOSIS_SLICES_COUNT } from '../base/limits.ts';
import type { DiagnosisFacts, DiagnosisPeriod, DiagnosisSlice } from '../judge/diagnosis/facts.ts';
import type { Diagnosis } from '../judge/diagnosis/finding.ts';
import { addInto, bucketOf, countOf, LOG_BUCKET_COUNT } from '../judge/diagnosis/log-counts.ts';
import { diagnose } from '../judge/diagnosis/rules.ts';
import type { EngineState } from '../judge/engine-state.ts';
import type { Report, Sink } from '../judge/report.ts';

export interface DiagnosisClock {
  /** Moments on a clock that only goes forward, in ns. */
  readonly nowNs: () => number;
  readonly epochMs: () => number;
}

/** Step time that the hardware allows on a route now, in ns; undefined where it is not known. */
export type FloorOf = (route: string) => number | undefined;

export interface DiagnosisWindow extends Sink {
  /** Takes what the engines say, and how many requests of each route have no token yet; about once a second. */
  look(states: readonly EngineState[], backlogs: ReadonlyMap<string, number>): void;
  /** One for each route on which something happened lately. */
  read(floorOf: FloorOf): readonly Diagnosis[];
}

const SLICE_NS = DIAGNOSIS_SLICE_MS * 1e6;

export function createDiagnosisWindow(clock: DiagnosisClock): DiagnosisWindow {
  const routes = new Map<string, RouteWindow>();
  const windowOf = (route: string): RouteWindow => {
    const known = routes.get(route);
    if (known !== undefined) return known;
    const made = new RouteWindow(clock);
    routes.set(route, made);
    return made;
  };
  return {
    name: 'diagnosis',
    onFirstToken: ({ route }, ttftNs) => windowOf(route).addFirstToken(ttftNs),
    onGap: ({ route }, point, gapNs) => windowOf(route).addGap(point === 'received', gapNs),
    onReport: (report) => windowOf(report.labels.route).addReport(report),
    look(states, backlogs) {
      for (const state of states) windowOf(state.route).addState(state);
      for (const [route, backlogCount] of backlogs) windowOf(route).addBacklog(backlogCount);
      // A route that was renamed or left alone is not kept for ever.
      for (const [route, window] of routes) if (window.isForgotten()) routes.delete(route);
    },
    read: (floorOf) =>
      [...routes].flatMap(([route, window]) => (window.isQuiet() ? [] : diagnose(window.facts(route, floorOf(route))))),
  };
}

interface Slice {
  arrivalCount: number;
  endCount: number;
  promptTokens: number;
  gapSumNs: number;
  hopJudgedCount: number;
  hopHeldCount: number;
  backlogMaxCount: number;
  /** Of the engine's counter, by how much it grew. */
  preemptedCount?: number;
  waitingMaxCount?: number;
  runningMaxCount?: number;
  kvUsedMaxRatio?: number;
  readonly gaps: Uint32Array;
  readonly gapsFlushed: Uint32Array;
  readonly ttft: Uint32Array;
  readonly tpot: Uint32Array;
  readonly queue: Uint32Array;
}

class RouteWindow {
  readonly #clock: DiagnosisClock;
  /** By the number of the slice since the clock began, in order. */
  readonly #slices = new Map<number, Slice>();
  /** The time before the window, a block as long as it each, the oldest first. */
  #before: { readonly untilIndex: number; readonly period: Period }[] = [];
  /** The engine's counter of preemptions when it was last looked at. */
  #preemptedTotal: number | undefined;

  constructor(clock: DiagnosisClock) {
    this.#clock = clock;
  }

  addFirstToken(ttftNs: number): void {
    const slice = this.#now();
    count(slice.ttft, ttftNs);
    this.#at(this.#clock.nowNs() - ttftNs).arrivalCount += 1;
  }

  addGap(received: boolean, gapNs: number): void {
    const slice = this.#now();
    if (!received) return count(slice.gapsFlushed, gapNs);
    count(slice.gaps, gapNs);
    slice.gapSumNs += gapNs;
  }

  addReport({ record, figures, hop }: Report): void {
    const slice = this.#now();
    slice.endCount += 1;
    if (figures.tpotNs !== undefined) count(slice.tpot, figures.tpotNs);
    if (figures.split?.queueNs !== undefined) count(slice.queue, figures.split.queueNs);
    if (hop !== undefined && hop.word !== 'unsure') {
      slice.hopJudgedCount += 1;
      if (hop.word === 'holds') slice.hopHeldCount += 1;
    }
    const openedAtNs = this.#clock.nowNs() - (this.#clock.epochMs() - record.openedAtEpochMs) * 1e6;
    // Until its turn its prompt was no work of the engine's.
    const opened = this.#at(openedAtNs + (record.marks.admittedAtNs ?? 0));
    opened.promptTokens += record.tokens.prompt ?? record.request.promptTokensEstimate ?? 0;
    if (figures.ttftNs === undefined) opened.arrivalCount += 1;
  }

  addBacklog(backlogCount: number): void {
    const slice = this.#now();
    slice.backlogMaxCount = Math.max(slice.backlogMaxCount, backlogCount);
  }

  addState({ waitingCount, runningCount, kvUsedRatio, preemptedCount }: EngineState): void {
    const slice = this.#now();
    if (waitingCount !== undefined) slice.waitingMaxCount = Math.max(slice.waitingMaxCount ?? 0, waitingCount);
    if (runningCount !== undefined) slice.runningMaxCount = Math.max(slice.runningMaxCount ?? 0, runningCount);
    if (kvUsedRatio !== undefined) slice.kvUsedMaxRatio = Math.max(slice.kvUsedMaxRatio ?? 0, kvUsedRatio);
    if (preemptedCount === undefined) return;
    // An engine that was started anew counts from 0 again.
    const before = Math.min(this.#preemptedTotal ?? preemptedCount, preemptedCount);
    slice.preemptedCount = (slice.preemptedCount ?? 0) + preemptedCount - before;
    this.#preemptedTotal = preemptedCount;
  }

  /** Nothing happened within the window. */
  isQuiet(): boolean {
    this.#retire(this.#index(this.#clock.nowNs()));
    return this.#slices.size === 0;
  }

  /** Neither in it nor in the time before it that is remembered. */
  isForgotten(): boolean {
    return this.isQuiet() && this.#before.length === 0;
  }

  facts(route: string, floorNs: number | undefined): DiagnosisFacts {
    const now = emptyPeriod();
    const gapsFlushed = fresh();
    const queue = fresh();
    const sums = { hopJudgedCount: 0, hopHeldCount: 0 };
    for (const slice of this.#slices.values()) {
      addPeriod(now, slice);
      addInto(gapsFlushed, slice.gapsFlushed);
      addInto(queue, slice.queue);
      sums.hopJudgedCount += slice.hopJudgedCount;
      sums.hopHeldCount += slice.hopHeldCount;
    }
    const preempted = [...this.#slices.values()].flatMap(({ preemptedCount }) => preemptedCount ?? []);
    const before = emptyPeriod();
    for (const { period } of this.#before) addPeriod(before, period);
    return {
      route,
      sliceNs: SLICE_NS,
      slices: [...this.#slices.values()],
      now,
      ...(countOf(before.gaps) + countOf(before.ttft) > 0 && { before }),
      gapsFlushed,
      queue,
      ...sums,
      ...(preempted.length > 0 && { preemptedCount: preempted.reduce((sum, each) => sum + each, 0) }),
      ...(floorNs !== undefined && { floorNs }),
    };
  }

  #index(atNs: number): number {
    return Math.floor(atNs / SLICE_NS);
  }

  /** The slice of this moment, as long as it is in the window; what is older is not asked for again. */
  #at(atNs: number): Slice {
    return this.#slices.get(this.#index(atNs)) ?? this.#now();
  }

  #now(): Slice {
    const index = this.#index(this.#clock.nowNs());
    const known = this.#slices.get(index);
    if (known !== undefined) return known;
    const slice = emptySlice();
    this.#slices.set(index, slice);
    this.#retire(index);
    return slice;
  }

  /** What has left the window goes into the blocks before it, and the oldest of these away. */
  #retire(nowIndex: number): void {
    const oldestIndex = nowIndex - DIAGNOSIS_SLICES_COUNT + 1;
    for (const [index, slice] of this.#slices) {
      if (index >= oldestIndex) break;
      this.#slices.delete(index);
      const last = this.#before.at(-1);
      const block =
        last !== undefined && index < last.untilIndex
          ? last
          : { untilIndex: index + DIAGNOSIS_SLICES_COUNT, period: emptyPeriod() };
      if (block !== last) this.#before.push(block);
      addPeriod(block.period, slice);
    }
    const keptFrom = oldestIndex - DIAGNOSIS_BEFORE_BLOCKS_COUNT * DIAGNOSIS_SLICES_COUNT;
    this.#before = this.#before.filter(({ untilIndex }) => untilIndex > keptFrom);
  }
}

type Period = { readonly [Name in keyof DiagnosisPeriod]: Uint32Array };

function fresh(): Uint32Array {
  return new Uint32Array(LOG_BUCKET_COUNT);
}

function emptyPeriod(): Period {
  return { ttft: fresh(), tpot: fresh(), gaps: fresh() };
}

function emptySlice(): Slice & DiagnosisSlice {
  const counts = { arrivalCount: 0, endCount: 0, promptTokens: 0, gapSumNs: 0, backlogMaxCount: 0 };
  return { ...counts, hopJudgedCount: 0, hopHeldCount: 0, ...emptyPeriod(), gapsFlushed: fresh(), queue: fresh() };
}

function addPeriod(sum: Period, { ttft, tpot, gaps }: DiagnosisPeriod): void {
  addInto(sum.ttft, ttft);
  addInto(sum.tpot, tpot);
  addInto(sum.gaps, gaps);
}

function count(counts: Uint32Array, lengthNs: number): void {
  const bucket = bucketOf(lengthNs);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}
