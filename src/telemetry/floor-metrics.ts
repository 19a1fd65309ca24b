// The decode step of each route beside its floor, as gauges: only of routes whose model and accelerators are
// configured, and only what is known now. Kept by who watches, and read at each collection.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { FloorState } from '../judge/floor/live.ts';
import type { MetricStore } from './store.ts';

const PARTS_PER_UNIT = 1e6;

interface Row {
  readonly spec: MetricSpec;
  /** In the metric's recorded integers. */
  value(state: FloorState): number | undefined;
}

type Shape = Pick<MetricSpec, 'name' | 'unit' | 'help'> & Partial<Pick<MetricSpec, 'perUnit'>>;

function row(shape: Shape, value: Row['value']): Row {
  return { spec: { type: 'gauge', ...shape, labels: ['route'], classed: false }, value };
}

function parts(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * PARTS_PER_UNIT);
}

const ROWS: readonly Row[] = [
  row(
    {
      name: 'rubato.floor.step',
      unit: 's',
      help: 'The least that one decode step can take on the configured hardware, with the batch and context of the last minute: reading weights or computing, whichever is longer, plus reading the KV cache, at peak rates (roofline).',
    },
    ({ floorNs }) => floorNs,
  ),
  row(
    {
      name: 'rubato.floor.measured_step',
      unit: 's',
      help: 'One read with one event received → the next: median of the last minute, to be set beside rubato.floor.step.',
    },
    ({ stepNs }) => stepNs,
  ),
  row(
    {
      name: 'rubato.floor.times',
      unit: '1',
      perUnit: PARTS_PER_UNIT,
      help: 'The measured step over its floor (roofline): 1.25 is about what good kernels reach, much more is not the memory.',
    },
    ({ timesFloor }) => parts(timesFloor),
  ),
  row(
    {
      name: 'rubato.floor.bandwidth',
      unit: '1',
      perUnit: PARTS_PER_UNIT,
      help: "Share of the memory's peak bandwidth that the measured step makes use of, to read weights and KV cache.",
    },
    ({ bandwidthRatio }) => parts(bandwidthRatio),
  ),
  row(
    {
      name: 'rubato.floor.batch',
      unit: '{request}',
      perUnit: PARTS_PER_UNIT,
      help: "Sequences that decode together, mean of the last minute: the engine's own count where its metrics are known, else the streams that pass here.",
    },
    ({ batchCount }) => parts(batchCount),
  ),
  row(
    {
      name: 'rubato.floor.context',
      unit: '{token}',
      help: 'Tokens of prompt and answer that one of these sequences looks back on, mean of the last minute.',
    },
    ({ contextTokens }) => (contextTokens === undefined ? undefined : Math.round(contextTokens)),
  ),
];

export const FLOOR_METRICS: readonly MetricSpec[] = ROWS.map(({ spec }) => spec);

/** Has the store read the states at each collection. What is not known has no series. */
export function observeFloors(store: MetricStore, states: () => readonly FloorState[]): void {
  for (const { spec, value } of ROWS) {
    store.observe(spec, () =>
      states().flatMap((state) => {
        const known = value(state);
        return known === undefined ? [] : [{ labels: { route: state.route }, value: known }];
      }),
    );
  }
}
