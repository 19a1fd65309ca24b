// The page of aggregates that an engine keeps about itself, in the classic Prometheus format. Which
// names and units it has are rows of the persona; what is counted when is decided here.
import type { EngineLoad, EngineStats } from './stats.ts';
import type { AnswerTimes } from './times.ts';

/** How things stand, for rows with one number. */
export interface NumberState extends EngineStats, EngineLoad {}

/** A metric that is read off when the page is asked for; undefined leaves it out. */
export interface NumberRow {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** Labels beside the common ones. */
  readonly labels?: Readonly<Record<string, string>>;
  value(state: NumberState): number | undefined;
}

/** Moments of an answer at which engines observe: the first two come before its end. */
export type MetricStage = 'prefill' | 'first_token' | 'next_token' | 'finish';

/** What is known of an answer at a stage; at `prefill` only the queue is. */
export interface Observed extends AnswerTimes {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Since the token before; 0 at other stages than `next_token`. */
  readonly gapNs: number;
}

/** A metric into which every answer puts a value at one of its stages. */
export interface HistogramRow {
  readonly name: string;
  readonly type: 'histogram';
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly at: MetricStage;
  /** Upper bounds, without the infinite one. */
  readonly bounds: readonly number[];
  value(observed: Observed): number | undefined;
}

export type MetricRow = NumberRow | HistogramRow;

interface Tally {
  /** One a bound, and one for what is above all. */
  readonly counts: number[];
  sum: number;
}

export class MetricsPage {
  readonly #rows: readonly MetricRow[];
  readonly #labels: Readonly<Record<string, string>>;
  readonly #tallies = new Map<HistogramRow, Tally>();

  constructor(rows: readonly MetricRow[], labels: Readonly<Record<string, string>>) {
    this.#rows = rows;
    this.#labels = labels;
    for (const row of rows) {
      if (row.type === 'histogram') this.#tallies.set(row, { counts: [...row.bounds, 0].map(() => 0), sum: 0 });
    }
  }

  observe(stage: MetricStage, observed: Observed): void {
    for (const [row, tally] of this.#tallies) {
      const value = row.at === stage ? row.value(observed) : undefined;
      if (value === undefined) continue;
      const above = row.bounds.findIndex((bound) => value <= bound);
      const at = above === -1 ? row.bounds.length : above;
      tally.counts[at] = (tally.counts[at] ?? 0) + 1;
      tally.sum += value;
    }
  }

  render(state: NumberState): string {
    let text = '';
    const told = new Set<string>();
    for (const row of this.#rows) {
      const lines = row.type === 'histogram' ? this.#histogram(row) : this.#number(row, state);
      if (lines === '') continue;
      // Rows that differ in labels only are one family and have one head.
      if (!told.has(row.name)) text += `# HELP ${row.name} ${row.help}\n# TYPE ${row.name} ${row.type}\n`;
      told.add(row.name);
      text += lines;
    }
    return text;
  }

  #number(row: NumberRow, state: NumberState): string {
    const value = row.value(state);
    return value === undefined ? '' : `${row.name}${this.#labelText(row.labels)} ${value}\n`;
  }

  #histogram(row: HistogramRow): string {
    const tally = this.#tallies.get(row);
    let lines = '';
    let count = 0;
    for (const [index, own] of (tally?.counts ?? []).entries()) {
      count += own;
      const le = row.bounds[index]?.toString() ?? '+Inf';
      lines += `${row.name}_bucket${this.#labelText({ ...row.labels, le })} ${count}\n`;
    }
    const labels = this.#labelText(row.labels);
    return `${lines}${row.name}_sum${labels} ${tally?.sum ?? 0}\n${row.name}_count${labels} ${count}\n`;
  }

  #labelText(own: Readonly<Record<string, string>> = {}): string {
    const entries = Object.entries({ ...this.#labels, ...own });
    if (entries.length === 0) return '';
    return `{${entries.map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`).join(',')}}`;
  }
}
