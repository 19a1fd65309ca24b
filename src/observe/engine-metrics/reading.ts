// From a page's samples to what it says of the engine: gauges added up, counters kept series by series,
// because each can begin anew on its own. Pure.
import { defined } from '../../measure/defined.ts';
import type { EngineName } from '../../record/engines.ts';
import type { Sample } from './prometheus-text.ts';
import type { EngineTable, MeanPick, ObservedAt, Pick, SharePick } from './table-shape.ts';
import { ENGINE_TABLES } from './tables.ts';

/** The series of one counter, by their labels. */
export type Series = ReadonlyMap<string, number>;

export interface MeanReading {
  readonly sum: Series;
  readonly count: Series;
  readonly observedAt?: ObservedAt;
}

export type ShareReading =
  | { readonly part: Series; readonly other: Series; readonly otherIs: 'whole' | 'rest' }
  | { readonly ratio: number };

export interface EngineReading {
  readonly engine: EngineName;
  readonly definition?: string;
  /** Wall clock of the engine's host; only good to see that the process is another one. */
  readonly processStartedEpochS?: number;
  readonly runningCount?: number;
  readonly waitingCount?: number;
  readonly kvUsedRatio?: number;
  readonly preempted?: Series;
  readonly generated?: Series;
  readonly prefixHit?: ShareReading;
  readonly draftAccepted?: ShareReading;
  readonly queue?: MeanReading;
  readonly prefill?: MeanReading;
  readonly whole?: MeanReading;
  readonly step?: MeanReading | { readonly lengthS: number };
}

/** Published by every Python engine that runs as one process. */
const PROCESS_START = 'process_start_time_seconds';

/** Every name that a page is searched for. */
export const ENGINE_METRIC_NAMES: ReadonlySet<string> = new Set([
  PROCESS_START,
  ...ENGINE_TABLES.flatMap((table) => [...table.signs, ...picksOf(table).map(({ name }) => name)]),
]);

/** Undefined when no engine that we know speaks on this page. */
export function readEngine(samples: readonly Sample[]): EngineReading | undefined {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const tables = ENGINE_TABLES.filter((table) => isSigned(table, byName));
  // A front end gives the name, but what the engines behind it state comes first.
  const [maker] = tables.toSorted((a, b) => Number(b.isFrontEnd ?? false) - Number(a.isFrontEnd ?? false));
  if (maker === undefined) return undefined;
  const sources = tables
    .toSorted((a, b) => Number(a.isFrontEnd ?? false) - Number(b.isFrontEnd ?? false))
    .map((table) => new TableReader(table, byName));
  const first = <Value>(read: (source: TableReader) => Value | undefined): Value | undefined =>
    sources.map(read).find((value) => value !== undefined);
  const timed = sources.find((source) => source.mean(source.table.queue) !== undefined);
  const reading = {
    definition: timed?.table.definition,
    processStartedEpochS: byName.get(PROCESS_START)?.[0]?.value,
    runningCount: first((source) => source.total(source.table.running)),
    waitingCount: first((source) => source.total(source.table.waiting)),
    kvUsedRatio: first((source) => source.fullest(source.table.kvUsed)),
    preempted: first((source) => source.counter(source.table.preempted)),
    generated: first((source) => source.counter(source.table.generated)),
    prefixHit: first((source) => source.share(source.table.prefixHit)),
    draftAccepted: first((source) => source.share(source.table.draftAccepted)),
    queue: first((source) => source.mean(source.table.queue)),
    prefill: first((source) => source.mean(source.table.prefill)),
    whole: first((source) => source.mean(source.table.whole)),
    step: first((source) => source.step()),
  };
  return { engine: maker.engine, ...defined(reading) };
}

function isSigned({ signs, signLabel }: EngineTable, byName: ReadonlyMap<string, readonly Sample[]>): boolean {
  const samples = signs.flatMap((sign) => byName.get(sign) ?? []);
  return samples.some(({ labels }) => signLabel === undefined || signLabel in labels);
}

/** Reads one page by one engine's table. */
class TableReader {
  readonly table: EngineTable;
  readonly #byName: ReadonlyMap<string, readonly Sample[]>;

  constructor(table: EngineTable, byName: ReadonlyMap<string, readonly Sample[]>) {
    this.table = table;
    this.#byName = byName;
  }

  /** Requests of all models and engines on the page together. */
  total(picks: readonly Pick[] = []): number | undefined {
    const series = this.counter(picks);
    return series === undefined ? undefined : [...series.values()].reduce((sum, value) => sum + value, 0);
  }

  /** The largest of several: where one cache is full, requests wait, however empty the others are. */
  fullest(picks: readonly Pick[] = []): number | undefined {
    const series = this.counter(picks);
    return series === undefined ? undefined : Math.max(...series.values());
  }

  counter(picks: readonly Pick[] = []): Series | undefined {
    return picks.map((pick) => this.#series(pick)).find((series) => series !== undefined);
  }

  mean(picks: readonly MeanPick[] = []): MeanReading | undefined {
    for (const { sum: sumPick, count: countPick, observedAt } of picks) {
      const sum = this.#series(sumPick);
      const count = this.#series(countPick);
      if (sum === undefined || count === undefined) continue;
      return { sum, count, ...(observedAt !== undefined && { observedAt }) };
    }
    return undefined;
  }

  share(picks: readonly SharePick[] = []): ShareReading | undefined {
    for (const pick of picks) {
      if ('gauge' in pick) {
        const ratio = this.fullest([pick.gauge]);
        if (ratio !== undefined) return { ratio };
        continue;
      }
      const otherIs = 'whole' in pick ? 'whole' : 'rest';
      const part = this.#series(pick.part);
      const other = this.#series('whole' in pick ? pick.whole : pick.rest);
      if (part !== undefined && other !== undefined) return { part, other, otherIs };
    }
    return undefined;
  }

  step(): EngineReading['step'] {
    for (const pick of this.table.step ?? []) {
      const lengthS = 'gauge' in pick ? this.fullest([pick.gauge]) : undefined;
      if (lengthS !== undefined) return { lengthS };
      const mean = 'gauge' in pick ? undefined : this.mean([pick]);
      if (mean !== undefined) return mean;
    }
    return undefined;
  }

  #series({ name, where }: Pick): Series | undefined {
    const series = new Map<string, number>();
    for (const { labels, value } of this.#byName.get(name) ?? []) {
      if (where !== undefined && !matches(labels, where)) continue;
      const key = this.#keyOf(labels);
      series.set(key, Math.max(series.get(key) ?? value, value));
    }
    return series.size === 0 ? undefined : series;
  }

  #keyOf(labels: Readonly<Record<string, string>>): string {
    const { repeatedBy = [] } = this.table;
    return Object.entries(labels)
      .filter(([name]) => !repeatedBy.includes(name))
      .map((pair) => pair.join('='))
      .sort()
      .join(',');
  }
}

function matches(labels: Readonly<Record<string, string>>, where: NonNullable<Pick['where']>): boolean {
  return Object.entries(where).every(([name, values]) => values.includes(labels[name] ?? ''));
}

/** Every pick in a table, wherever it stands. */
function picksOf(table: EngineTable): Pick[] {
  const { running, waiting, kvUsed, preempted, generated, prefixHit, draftAccepted, queue, prefill, whole, step } =
    table;
  const plain = [running, waiting, kvUsed, preempted, generated].flatMap((picks) => picks ?? []);
  const composed = [prefixHit, draftAccepted, queue, prefill, whole, step].flatMap<object>((picks) => picks ?? []);
  return [...plain, ...composed.flatMap((each) => Object.values(each).filter((value): value is Pick => isPick(value)))];
}

function isPick(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value;
}
