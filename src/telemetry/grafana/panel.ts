// What a panel is, in our own words: a title, how to read it, what it asks, and how it looks. Knows nothing of the
// JSON that Grafana wants.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { type Ask, type ByLabel, quantiles } from './ask.ts';
import type { Matchers } from '../rules/promql.ts';
import type { Need } from './needs.ts';

/** Units by the names that Grafana has for them. */
export type Unit = 's' | 'percentunit' | 'reqps' | 'cps' | 'short' | 'none' | 'bytes' | 'watt' | 'bool_yes_no';

export interface Target {
  readonly ask: Ask;
  /** How its lines are called; `{{class}}` stands for a label's value. In a table the name of its column. */
  readonly legend: string;
  /** What has to be there first, or the target brings nothing. */
  readonly needs?: readonly Need[];
  /** In a stacked panel: a line of its own, in no stack. */
  readonly isApart?: boolean;
  /** Of a table's column, where it is not that of the panel. */
  readonly unit?: Unit;
}

export interface Panel {
  readonly kind: 'timeseries' | 'stat' | 'heatmap' | 'bargauge' | 'table';
  readonly title: string;
  /** How to read it. Between which events it lies is added from the metrics themselves. */
  readonly reads: string;
  readonly unit: Unit;
  readonly targets: readonly Target[];
  /** Columns of 24. */
  readonly width: number;
  readonly height: number;
  /** What is at stake on the axis, where the unit does not say it: `tokens a second`. */
  readonly axis?: string;
  /** Values lie on each other because together they are a whole. */
  readonly stacked?: boolean;
  /** From where on a value asks for attention, and for action; drawn as lines. `isBelow`: values below them do. */
  readonly limits?: { readonly warn?: number; readonly bad: number; readonly isBelow?: boolean };
  /** Waits spread over powers of ten. */
  readonly logScale?: boolean;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  /** Stable: links, bookmarks and alerts know a dashboard by it. */
  readonly uid: string;
  readonly title: string;
  /** The question that it answers. */
  readonly description: string;
  readonly rows: readonly Row[];
}

type Given = Omit<Panel, 'kind' | 'width' | 'height'> & Partial<Pick<Panel, 'width' | 'height'>>;

const HEIGHT = 8;

export function timeseries(given: Given): Panel {
  return { kind: 'timeseries', width: 12, height: HEIGHT, ...given };
}

export function stat(given: Given): Panel {
  return { kind: 'stat', width: 4, height: 5, ...given };
}

/** Lengths by how many there were of them, over time. */
export function heatmap(given: Given): Panel {
  return { kind: 'heatmap', width: 12, height: 9, ...given };
}

/** One bar a label value, of the whole time that is looked at. */
export function bars(given: Given): Panel {
  return { kind: 'bargauge', width: 12, height: HEIGHT, ...given };
}

export function table(given: Given): Panel {
  return { kind: 'table', width: 24, height: HEIGHT, ...given };
}

/** The middle and the two ends that people promise. */
const USUAL_PERCENTILES = [0.5, 0.95, 0.99];

interface PercentileOptions extends Pick<Target, 'needs'> {
  readonly of?: readonly number[];
  readonly matchers?: Matchers;
  /** Before `p50` in the name of a line, where it says more than the labels. */
  readonly word?: string;
}

/** One line each for every value of the labels. */
export function percentiles(spec: MetricSpec, by: readonly ByLabel[], options: PercentileOptions = {}): Target[] {
  const { of = USUAL_PERCENTILES, matchers, word, needs = [] } = options;
  const who = [...by.map((label) => `{{${label}}}`), ...(word === undefined ? [] : [word])];
  return of.map((q) => ({
    ask: quantiles(q, spec, by, matchers),
    legend: [...who, percentileWord(q)].join(' '),
    needs,
  }));
}

export function percentileWord(q: number): string {
  return `p${percentOf(q)}`;
}

/** 0.999 is 99.9, without the dust of binary fractions. */
export function percentOf(share: number): number {
  return Number((share * 100).toPrecision(6));
}
