// The recent TTFTs of one class with their parts: which exchange stands at a percentile, and what was known of queue
// and prefill. A bar made of percentiles of each part would sum to no TTFT that anybody had; one exchange's does.
import type { Report } from '../judge/report.ts';
import { defined } from '../measure/defined.ts';
import type { Split } from '../measure/figures.ts';
import { nearestRank } from '../measure/percentile.ts';
import { ttftParts, type TtftPart } from '../measure/ttft-split.ts';

/** What a length of the engine's own time rests on, see `basis` of a split. */
export type EngineBasis = 'exact' | 'model';

/** One exchange and its TTFT in parts, which sum to it exactly. */
export interface TtftExchange {
  readonly id: string;
  readonly ttftNs: number;
  readonly parts: readonly { readonly part: TtftPart; readonly partNs: number }[];
  /** Absent where that part is not known. */
  readonly queueBasis?: EngineBasis;
  readonly prefillBasis?: EngineBasis;
}

/** The exchange at each percentile, by nearest rank. */
export interface TtftAt {
  readonly p50?: TtftExchange;
  /** Absent below 20. */
  readonly p95?: TtftExchange;
  /** Absent below 100. */
  readonly p99?: TtftExchange;
}

/** Of exchanges with a TTFT, how many had this part known, and from what. */
export interface BasisCounts {
  readonly queue: Readonly<Record<EngineBasis | 'unknown', number>>;
  readonly prefill: Readonly<Record<EngineBasis | 'unknown', number>>;
}

/** Both absent as long as there is no TTFT. */
interface TtftRead {
  readonly ttftAt?: TtftAt;
  readonly basisCounts?: BasisCounts;
}

interface Remembered {
  readonly id: string;
  readonly ttftNs: number;
  readonly split: Split;
}

const PERCENTILES = [
  { name: 'p50', percent: 50, leastCount: 1 },
  { name: 'p95', percent: 95, leastCount: 20 },
  { name: 'p99', percent: 99, leastCount: 100 },
] as const;

export class TtftMemory {
  readonly #latest: Remembered[] = [];
  readonly #maxCount: number;
  #next = 0;
  /** Made when somebody asks; void after each new one. */
  #read: TtftRead | undefined;

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  add({ record: { id }, figures: { ttftNs, split } }: Report): void {
    // Whatever has a TTFT has a split.
    if (ttftNs === undefined || split === undefined) return;
    this.#latest[this.#next] = { id, ttftNs, split };
    this.#next = (this.#next + 1) % this.#maxCount;
    this.#read = undefined;
  }

  read(): TtftRead {
    this.#read ??= readOf(this.#latest);
    return this.#read;
  }
}

function readOf(latest: readonly Remembered[]): TtftRead {
  if (latest.length === 0) return {};
  return { ttftAt: atPercentiles(latest), basisCounts: basisCountsOf(latest) };
}

function atPercentiles(latest: readonly Remembered[]): TtftAt {
  const sorted = latest.toSorted((a, b) => a.ttftNs - b.ttftNs);
  return Object.fromEntries(
    PERCENTILES.filter(({ leastCount }) => sorted.length >= leastCount).map(({ name, percent }) => [
      name,
      exchangeOf(nearestRank(sorted, percent)),
    ]),
  );
}

function exchangeOf({ id, ttftNs, split }: Remembered): TtftExchange {
  const parts = ttftParts(split).map(({ part, partNs }) => ({ part, partNs }));
  return {
    id,
    ttftNs,
    parts,
    ...defined({ queueBasis: basisOf(split, split.queueNs), prefillBasis: basisOf(split, split.prefillNs) }),
  };
}

function basisOf({ basis }: Split, partNs: number | undefined): EngineBasis | undefined {
  return partNs === undefined || basis === 'none' ? undefined : basis;
}

function basisCountsOf(latest: readonly Remembered[]): BasisCounts {
  const counts = { queue: { exact: 0, model: 0, unknown: 0 }, prefill: { exact: 0, model: 0, unknown: 0 } };
  for (const { split } of latest) {
    counts.queue[basisOf(split, split.queueNs) ?? 'unknown'] += 1;
    counts.prefill[basisOf(split, split.prefillNs) ?? 'unknown'] += 1;
  }
  return counts;
}
