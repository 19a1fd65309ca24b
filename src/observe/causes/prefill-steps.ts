// The share of a route's decode steps that also read a prompt, estimated from the lengths of steps. Those at which
// nobody waited for a first token show what a plain step is like; what is longer while somebody waits carries a
// prompt. A histogram over a sliding window: one count a step.

const SLICE_NS = 10e9;
const SLICES_COUNT = 6;
/** First tokens closer than this came out of one step. */
const ONE_STEP_NS = 1e6;
/** The first bin begins here. */
const BIN_LEAST_NS = 0.25e6;
/** Eight bins for each doubling: a bin is 9 % wide. */
const BINS_PER_DOUBLING = 8;
const BINS_COUNT = 192;
/** Fewer steps say nothing of a share. */
const STEPS_LEAST_COUNT = 50;
const CLEAR_LEAST_COUNT = 30;
/** A plain step is not longer than this percentile of plain steps, or than two bins above their median. */
const PLAIN_PERCENT = 95;
const PLAIN_MARGIN_BINS = 2;
/** Two modes closer than this (in bins: a factor of 1.3) are one. */
const MODES_APART_BINS = 3;
const MODES_APART_RATIO = 0.6;

interface Slice {
  readonly beganAtNs: number;
  /** Steps by length while nobody, and while somebody, waited for a first token. */
  readonly clear: Uint32Array;
  readonly busy: Uint32Array;
  /** Steps out of which first tokens came. */
  firstCount: number;
}

export class PrefillSteps {
  #slices: Slice[] = [];
  #lastFirstAtNs = -1;

  /** A step ended. */
  onStep(stepNs: number, atNs: number, someoneWaits: boolean): void {
    const slice = this.#sliceAt(atNs);
    const bin = binOf(stepNs);
    const steps = someoneWaits ? slice.busy : slice.clear;
    steps[bin] = (steps[bin] ?? 0) + 1;
  }

  onFirst(atNs: number): void {
    if (atNs - this.#lastFirstAtNs < ONE_STEP_NS) return;
    this.#lastFirstAtNs = atNs;
    this.#sliceAt(atNs).firstCount += 1;
  }

  /** Of the steps of the last minute; undefined where there were too few to say. */
  ratio(nowNs: number): number | undefined {
    const slices = this.#slices.filter(({ beganAtNs }) => beganAtNs > nowNs - SLICES_COUNT * SLICE_NS);
    const clear = summed(slices.map((slice) => slice.clear));
    const busy = summed(slices.map((slice) => slice.busy));
    const busyCount = countOf(busy);
    const stepCount = countOf(clear) + busyCount;
    if (stepCount < STEPS_LEAST_COUNT) return undefined;
    // Each first token came out of a step that read the end of its prompt, however short.
    const leastCount = slices.reduce((sum, { firstCount }) => sum + firstCount, 0);
    const longCount = countOf(clear) >= CLEAR_LEAST_COUNT ? longerThanPlain(clear, busy) : slowModeCount(busy);
    if (longCount === undefined && leastCount === 0) return undefined;
    return Math.min(busyCount, Math.max(leastCount, longCount ?? 0)) / stepCount;
  }

  #sliceAt(atNs: number): Slice {
    const latest = this.#slices.at(-1);
    if (latest !== undefined && atNs - latest.beganAtNs < SLICE_NS) return latest;
    const fresh = {
      beganAtNs: atNs,
      clear: new Uint32Array(BINS_COUNT),
      busy: new Uint32Array(BINS_COUNT),
      firstCount: 0,
    };
    this.#slices = [...this.#slices.slice(1 - SLICES_COUNT), fresh];
    return fresh;
  }
}

function binOf(lengthNs: number): number {
  const bin = Math.floor(BINS_PER_DOUBLING * Math.log2(lengthNs / BIN_LEAST_NS));
  return Math.min(BINS_COUNT - 1, Math.max(0, bin));
}

function summed(histograms: readonly Uint32Array[]): number[] {
  return Array.from({ length: BINS_COUNT }, (_, bin) => histograms.reduce((sum, bins) => sum + (bins[bin] ?? 0), 0));
}

function countOf(bins: readonly number[], above = -1): number {
  return bins.reduce((sum, count, bin) => (bin > above ? sum + count : sum), 0);
}

/** Steps while somebody waited that are longer than plain ones, less those that would be so anyway. */
function longerThanPlain(clear: readonly number[], busy: readonly number[]): number {
  const plainBin = Math.max(rankBin(clear, PLAIN_PERCENT), rankBin(clear, 50) + PLAIN_MARGIN_BINS);
  const anywayRatio = countOf(clear, plainBin) / countOf(clear);
  return Math.max(0, Math.round(countOf(busy, plainBin) - anywayRatio * countOf(busy)));
}

function rankBin(bins: readonly number[], percent: number): number {
  let left = (countOf(bins) * percent) / 100;
  return bins.findIndex((count) => (left -= count) <= 0);
}

/**
 * Where somebody always waits no step is known to be plain: the steps fall into two modes (by the cut with the
 * least variance within them, after Otsu), or nothing can be said.
 */
function slowModeCount(bins: readonly number[]): number | undefined {
  const total = countOf(bins);
  const mean = meanBin(bins, 0, BINS_COUNT);
  const variance = bins.reduce((sum, count, bin) => sum + count * (bin - mean) ** 2, 0) / total;
  let best = { between: 0, slowCount: 0, apart: 0 };
  for (let cut = 1; cut < BINS_COUNT; cut += 1) {
    const slowCount = countOf(bins, cut - 1);
    if (slowCount === 0 || slowCount === total) continue;
    const apart = meanBin(bins, cut, BINS_COUNT) - meanBin(bins, 0, cut);
    const between = (slowCount / total) * (1 - slowCount / total) * apart ** 2;
    if (between > best.between) best = { between, slowCount, apart };
  }
  const isTwo = best.apart >= MODES_APART_BINS && best.between >= MODES_APART_RATIO * variance;
  return isTwo ? best.slowCount : undefined;
}

function meanBin(bins: readonly number[], from: number, to: number): number {
  let count = 0;
  let sum = 0;
  for (let bin = from; bin < to; bin += 1) {
    count += bins[bin] ?? 0;
    sum += bin * (bins[bin] ?? 0);
  }
  return count === 0 ? 0 : sum / count;
}
