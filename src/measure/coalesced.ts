// Coalesced events: generated events beyond the first of their read. Several events in one read make
// one gap; the others would be gaps of 0 that nobody's network made, so they are counted apart.
import type { MetricSpec } from '../base/metric-spec.ts';

export const EVENTS_COALESCED: MetricSpec = {
  name: 'rubato.events.coalesced',
  type: 'counter',
  unit: '{event}',
  help: 'Events with generated fragments that came in the same read as an earlier one and so ended no gap of their own.',
  labels: [],
  classed: true,
};
