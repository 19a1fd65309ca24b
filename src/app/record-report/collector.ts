// Gathers what a report shows from the reports of a file, one after the other, in bounded memory: the same sinks that
// serve the live page, with clocks that follow the recorded time.
import {
  REPORT_EXCHANGES_MAX_COUNT,
  REPORT_GAPS_MAX_COUNT,
  REPORT_COLUMNS_MAX_COUNT,
} from '../../base/report-limits.ts';
import { showCount } from '../../client/spread.ts';
import type { Report } from '../../judge/report.ts';
import { replayGaps } from '../../measure/replay.ts';
import { HopSummary } from '../../observe/pairing/hop-summary.ts';
import { GAP_EDGES_NS } from '../../telemetry/live/columns.ts';
import { gapHistogram } from '../../telemetry/live/gap-histograms.ts';
import type { ReportData } from '../../telemetry/report-data.ts';
import { createSummary } from '../../telemetry/summary.ts';
import { CauseRows } from './cause-rows.ts';
import { RecordedColumns } from './gap-columns.ts';
import { WorstExchanges } from './worst-exchanges.ts';

const NS_PER_MS = 1e6;
const CAPS = { exchangeCount: REPORT_EXCHANGES_MAX_COUNT, gapCount: REPORT_GAPS_MAX_COUNT };

type Collected = Omit<ReportData, 'title' | 'version' | 'madeAtEpochMs' | 'files'>;

export class ReportCollector {
  readonly #summary = createSummary(() => this.#atEpochMs, CAPS);
  readonly #hops = new HopSummary();
  readonly #columns = new RecordedColumns(GAP_EDGES_NS);
  readonly #causes = new CauseRows();
  readonly #worst: WorstExchanges;
  readonly #stallMs = new Map<string, number>();
  /** The latest end so far: a clock that only moves forward. */
  #atEpochMs = 0;
  #fromEpochMs = Infinity;
  #exchangeCount = 0;
  #edgeCount = 0;

  constructor(worstCount: number) {
    this.#worst = new WorstExchanges(worstCount);
  }

  get exchangeCount(): number {
    return this.#exchangeCount;
  }

  add(report: Report): void {
    const { record, figures, labels } = report;
    this.#exchangeCount += 1;
    this.#fromEpochMs = Math.min(this.#fromEpochMs, record.openedAtEpochMs);
    this.#atEpochMs = Math.max(this.#atEpochMs, record.openedAtEpochMs + figures.durationNs / NS_PER_MS);
    this.#hops.onReport(report);
    this.#worst.add(report);
    // What was seen before a hop is the same stream a second time.
    if (labels.edge !== undefined) {
      this.#edgeCount += 1;
      return;
    }
    this.#stallMs.set(labels.class, record.class.stallNs / NS_PER_MS);
    replayGaps(record, {
      onGap: (point, { atNs, gapNs, stalled }) => {
        if (point !== 'received') return;
        this.#summary.onGap?.(labels, point, gapNs, stalled, undefined);
        this.#columns.add(labels.class, record.openedAtEpochMs + atNs / NS_PER_MS, gapNs);
      },
      onTaintedGap() {},
      onCoalesced() {},
    });
    this.#causes.add(report);
    this.#summary.onReport?.(report, undefined);
  }

  read(notes: readonly string[]): Collected {
    const { classes } = this.#summary.read();
    const beyond = classes.filter(
      (each) => each.exchangeCount > REPORT_EXCHANGES_MAX_COUNT || each.gapCount > REPORT_GAPS_MAX_COUNT,
    );
    const recent = beyond.map(
      (each) =>
        `Percentiles of ${each.class} are of its latest ${showCount(REPORT_EXCHANGES_MAX_COUNT)} exchanges and ${showCount(REPORT_GAPS_MAX_COUNT)} gaps; counts are of all.`,
    );
    return {
      fromEpochMs: Math.min(this.#fromEpochMs, this.#atEpochMs),
      toEpochMs: this.#atEpochMs,
      exchangeCount: this.#exchangeCount,
      edgeCount: this.#edgeCount,
      about: {
        columnMs: this.#columns.columnMs,
        columnsMaxCount: REPORT_COLUMNS_MAX_COUNT,
        gapEdgesNs: GAP_EDGES_NS,
        stallMs: Object.fromEntries(this.#stallMs),
      },
      columns: this.#columns.read(),
      histograms: this.#summary.gaps().map(({ class: name, gapsNs }) => gapHistogram(name, gapsNs)),
      classes,
      causes: this.#causes.read(),
      hops: this.#hops.states(),
      worst: this.#worst.read(),
      notes: [...recent, ...notes],
    };
  }
}
