// What a metric is, as a declaration. A metric's name stands in the file of the measure or rule that
// feeds it; stores and renderers are generic over the declarations.

/** Every label a metric can have. Values come from closed or capped sets only. */
export type LabelName =
  | 'class'
  | 'model'
  | 'route'
  | 'outcome'
  | 'reason'
  | 'prompt_bucket'
  | 'output_bucket'
  | 'part'
  | 'basis'
  | 'point'
  | 'stalled'
  | 'cause'
  | 'kind'
  | 'objective'
  | 'met'
  | 'hop'
  | 'verdict'
  | 'way'
  | 'phase'
  | 'thread'
  | 'doubt'
  | 'signal'
  | 'label'
  | 'gpu'
  // Attributes of the GenAI conventions, whose names are fixed elsewhere.
  | 'gen_ai.operation.name'
  | 'gen_ai.provider.name'
  | 'gen_ai.request.model'
  | 'gen_ai.token.type'
  | 'error.type';

export interface MetricSpec {
  /** OTLP name, dotted. The Prometheus name is derived from it, see telemetry/names.ts. */
  readonly name: string;
  readonly type: 'histogram' | 'counter' | 'gauge';
  /** UCUM unit: `s` for every duration, `By`, `1`, or an annotation such as `{token}`. */
  readonly unit: string;
  /** Recorded integers in one unit, where that is neither ns for `s` nor 1: a share is kept in millionths. */
  readonly perUnit?: number;
  /** One sentence; for a duration it names the two events. */
  readonly help: string;
  /** Label names beside `class` and `model`, which `classed` switches on. */
  readonly labels: readonly LabelName[];
  /** Has the labels `class` and `model`. */
  readonly classed: boolean;
  /** Upper bounds of the buckets in `unit`, ascending; histograms only. */
  readonly bounds?: readonly number[];
  /**
   * Closed values of each own label, for counters that must be there at 0 from the start. Only the
   * labels listed here are spread out at start; `class` starts as each configured class, `model` as `other`.
   */
  readonly startAtZero?: Partial<Record<LabelName, readonly string[]>>;
}

/** Bounds in s for waits before and around a stream: 1 ms to 10 minutes. */
export const WAIT_BOUNDS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30,
  60, 120, 300, 600,
] as const;

/** Bounds in s for gaps between reads: dense where decode lives (5 to 100 ms), up to 2 minutes. */
export const GAP_BOUNDS_S = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.25,
  0.5, 1, 2.5, 5, 10, 30, 60, 120,
] as const;

/** Bounds in s for what rubato and the network cost: 10 µs to 10 s. */
export const COST_BOUNDS_S = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  5, 10, 60,
] as const;
