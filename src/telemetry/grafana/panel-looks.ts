// How a panel looks, by its kind: options of the plugin, units, limits and stacking. Knows nothing of queries.
import type { Panel, Target } from './panel.ts';

/** What is not known is a dash, never 0. */
const NO_VALUE = '–';

const FILL_PERCENT = 12;
const STACK_FILL_PERCENT = 60;

export function fieldConfig(panel: Panel): object {
  if (panel.kind === 'heatmap')
    return { defaults: { noValue: NO_VALUE, custom: { hideFrom: HIDE_NOTHING } }, overrides: [] };
  return {
    defaults: {
      unit: panel.unit,
      noValue: NO_VALUE,
      // Nothing here can be below 0, and an axis that starts elsewhere makes a tremble look like a cliff.
      min: 0,
      ...(panel.unit === 'percentunit' && panel.kind !== 'timeseries' && { max: 1 }),
      color: { mode: panel.limits === undefined || panel.kind === 'timeseries' ? 'palette-classic' : 'thresholds' },
      thresholds: { mode: 'absolute', steps: steps(panel.limits) },
      custom: customOf(panel),
    },
    overrides: panel.targets.flatMap((target) => overridesOf(target)),
  };
}

export function panelOptions({ kind, unit }: Panel): object {
  switch (kind) {
    case 'timeseries':
      return {
        legend: { showLegend: true, displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
        tooltip: { mode: 'multi', sort: 'desc' },
      };
    case 'stat':
      return {
        reduceOptions: LAST_VALUE,
        graphMode: 'area',
        colorMode: 'value',
        justifyMode: 'auto',
        textMode: 'auto',
        wideLayout: true,
        showPercentChange: false,
        percentChangeColorMode: 'standard',
        orientation: 'auto',
      };
    case 'bargauge':
      return {
        reduceOptions: LAST_VALUE,
        displayMode: 'basic',
        valueMode: 'color',
        namePlacement: 'left',
        showUnfilled: true,
        sizing: 'auto',
        minVizWidth: 8,
        minVizHeight: 16,
        maxVizHeight: 32,
        legend: { showLegend: false, displayMode: 'list', placement: 'bottom', calcs: [] },
        orientation: 'horizontal',
      };
    case 'table':
      return { showHeader: true, cellHeight: 'sm', frameIndex: 0 };
    case 'heatmap':
      return heatmapOptions(unit);
  }
}

const LAST_VALUE = { values: false, calcs: ['lastNotNull'], fields: '' } as const;
const HIDE_NOTHING = { legend: false, tooltip: false, viz: false } as const;

/** Buckets come as they are: Grafana has nothing to calculate, and cells of nothing stay empty. */
function heatmapOptions(unit: string): object {
  return {
    calculate: false,
    cellGap: 1,
    cellValues: { unit: 'short' },
    color: {
      mode: 'scheme',
      scheme: 'Oranges',
      fill: 'dark-orange',
      // Most gaps are alike: by their square root the few others can be seen beside them.
      scale: 'exponential',
      exponent: 0.5,
      steps: 64,
      reverse: false,
    },
    exemplars: { color: 'rgba(50, 115, 217, 0.9)' },
    filterValues: { le: 1e-9 },
    legend: { show: true },
    rowsFrame: { layout: 'auto' },
    showValue: 'never',
    tooltip: { mode: 'single', yHistogram: true, showColorScale: true },
    yAxis: { axisPlacement: 'left', reverse: false, unit },
  };
}

function customOf({ kind, stacked = false, axis, limits }: Panel): object {
  if (kind === 'table') return { align: 'auto', cellOptions: { type: 'auto' }, inspect: false };
  if (kind !== 'timeseries') return {};
  return {
    drawStyle: 'line',
    lineWidth: 1,
    lineInterpolation: 'linear',
    fillOpacity: stacked ? STACK_FILL_PERCENT : FILL_PERCENT,
    gradientMode: 'none',
    showPoints: 'never',
    // A silence is a gap in the line: nothing was measured there.
    spanNulls: false,
    stacking: stackingOf(stacked),
    thresholdsStyle: { mode: limits === undefined ? 'off' : 'dashed' },
    axisPlacement: 'auto',
    ...(axis !== undefined && { axisLabel: axis }),
    hideFrom: HIDE_NOTHING,
  };
}

function stackingOf(isStacked: boolean): object {
  return { group: 'A', mode: isStacked ? 'normal' : 'none' };
}

/** Grafana wants a base without a value, and writes it as null. */
function steps(limits: Panel['limits']): object[] {
  if (limits === undefined) return [{ color: 'green', value: null }];
  const { warn, bad, isBelow = false } = limits;
  if (!isBelow) {
    const middle = warn === undefined ? [] : [{ color: 'yellow', value: warn }];
    return [{ color: 'green', value: null }, ...middle, { color: 'red', value: bad }];
  }
  const best = { color: 'green', value: warn ?? bad };
  const middle = warn === undefined ? [] : [{ color: 'yellow', value: bad }];
  return [{ color: 'red', value: null }, ...middle, best];
}

function overridesOf({ legend, unit, isApart = false }: Target): object[] {
  const properties = [
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ...(isApart
      ? [
          { id: 'custom.stacking', value: stackingOf(false) },
          { id: 'custom.fillOpacity', value: 0 },
          { id: 'custom.lineWidth', value: 2 },
        ]
      : []),
  ];
  return properties.length === 0 ? [] : [{ matcher: { id: 'byName', options: legend }, properties }];
}
