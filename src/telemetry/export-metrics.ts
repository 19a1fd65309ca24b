// What became of all that was to leave the process, by signal. At every moment
//   taken = exported + dropped + queued
// so that whoever looks at a scrape can tell that nothing was lost without being counted.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { MetricStore } from './store.ts';

export interface ExportCounts {
  readonly signal: 'traces' | 'metrics' | 'records' | 'logs';
  readonly droppedCount: number;
  /** Absent for a signal that goes nowhere, and for the log, of which only the losses are counted. */
  readonly rest?: {
    readonly takenCount: number;
    readonly exportedCount: number;
    /** Waiting, or on its way. */
    readonly queuedCount: number;
  };
}

export const EXPORT_DROPPED: MetricSpec = {
  name: 'rubato.self.export_dropped',
  type: 'counter',
  unit: '{item}',
  help: 'Spans, records, log lines and metric exports that did not reach their destination.',
  labels: ['signal'],
  classed: false,
};

const EXPORT_TAKEN: MetricSpec = {
  name: 'rubato.self.export_taken',
  type: 'counter',
  unit: '{item}',
  help: 'Spans, records and metric exports that were to leave the process: exported + dropped + queued, at every moment.',
  labels: ['signal'],
  classed: false,
};

const EXPORTED: MetricSpec = {
  name: 'rubato.self.exported',
  type: 'counter',
  unit: '{item}',
  help: 'Spans, records and metric exports that reached their destination.',
  labels: ['signal'],
  classed: false,
};

const EXPORT_QUEUED: MetricSpec = {
  name: 'rubato.self.export_queued',
  type: 'gauge',
  unit: '{item}',
  help: 'Spans, records and metric exports that wait for their destination or are on their way.',
  labels: ['signal'],
  classed: false,
};

export const EXPORT_METRICS: readonly MetricSpec[] = [EXPORT_DROPPED, EXPORT_TAKEN, EXPORTED, EXPORT_QUEUED];

/** Has the store ask for the counts at each collection. */
export function observeExports(store: MetricStore, counts: () => readonly ExportCounts[]): void {
  store.observe(EXPORT_DROPPED, () =>
    counts().map(({ signal, droppedCount }) => ({ labels: { signal }, value: droppedCount })),
  );
  const rests = [
    [EXPORT_TAKEN, 'takenCount'],
    [EXPORTED, 'exportedCount'],
    [EXPORT_QUEUED, 'queuedCount'],
  ] as const;
  for (const [spec, count] of rests) {
    store.observe(spec, () =>
      counts().flatMap(({ signal, rest }) => (rest === undefined ? [] : [{ labels: { signal }, value: rest[count] }])),
    );
  }
}
