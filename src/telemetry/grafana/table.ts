// All dashboards, in the order of reading. A new one is one file and one line here.
import type { ClassSpec } from '../../record/traffic-class.ts';
import { engine } from './engine.ts';
import { gaps } from './gaps.ts';
import { hops } from './hops.ts';
import { overview } from './overview.ts';
import type { Dashboard } from './panel.ts';
import { promiseRows } from './promises.ts';
import { self } from './self.ts';
import { slo } from './slo.ts';
import { ttft } from './ttft.ts';

/** `classes`: what is promised of each adds a row to the dashboard of objectives, with its limits drawn in. */
export function dashboards(classes: readonly ClassSpec[]): readonly Dashboard[] {
  const promised = { ...slo, rows: [...slo.rows, ...promiseRows(classes)] };
  return [overview, ttft, gaps, promised, hops, engine, self];
}
