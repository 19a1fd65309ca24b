// A dashboard as Grafana wants it: variables, links to its siblings, and where each panel lies. What is in it stands
// in a file of its own for each.
import { EXCHANGES } from '../../measure/duration.ts';
import { type Matchers, select, TARGET_LABELS } from '../rules/promql.ts';
import { FILTERS } from './ask.ts';
import type { Dashboard, Panel } from './panel.ts';
import { DATA_SOURCE, panelJson, rowJson } from './panel-json.ts';

/** Siblings find each other by it. */
const TAG = 'rubato';
const SCHEMA_VERSION = 39;
const COLUMNS = 24;
/** Grafana renews the values of a variable on load (1) or when the time that is looked at changes (2). */
const REFRESH_ON_TIME = 2;
const SORT_BY_NAME = 1;

export interface DashboardOptions {
  /** The Prometheus to begin with; without it Grafana takes its default one. */
  readonly dataSourceUid?: string;
}

export function dashboardJson({ uid, title, description, rows }: Dashboard, options: DashboardOptions = {}): object {
  return {
    uid,
    title,
    description,
    tags: [TAG],
    schemaVersion: SCHEMA_VERSION,
    // Made by a program: what somebody changes by hand is lost with the next version.
    editable: false,
    graphTooltip: 1,
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    timezone: 'browser',
    annotations: { list: [] },
    links: [siblings()],
    templating: {
      list: [dataSourceVariable(options.dataSourceUid), ...labelVariables(rows.flatMap(({ panels }) => panels))],
    },
    panels: placed(rows),
  };
}

function siblings(): object {
  return {
    type: 'dashboards',
    title: 'rubato',
    tooltip: 'The other dashboards, with the same time and filters',
    icon: 'external link',
    tags: [TAG],
    asDropdown: false,
    includeVars: true,
    keepTime: true,
    targetBlank: false,
    url: '',
  };
}

function dataSourceVariable(uid: string | undefined): object {
  return {
    type: 'datasource',
    name: 'datasource',
    label: 'Data source',
    query: 'prometheus',
    ...(uid !== undefined && { current: { selected: true, text: uid, value: uid } }),
    hide: 0,
    includeAll: false,
    multi: false,
    options: [],
    refresh: 1,
    regex: '',
    skipUrlSync: false,
  };
}

type Filter = (typeof FILTERS)[number];

/** Only the filters that a panel of it asks by: one that changes nothing would lie. */
function labelVariables(panels: readonly Panel[]): object[] {
  const asked = panels.flatMap(({ targets }) => targets.map(({ ask }) => ask.expr)).join('\n');
  return FILTERS.filter((filter) => asked.includes(`"$${filter}"`)).map((filter) => labelVariable(filter));
}

/** Values of a label as exchanges have it, narrowed by the targets before it. */
function labelVariable(filter: Filter): object {
  const targets: readonly Filter[] = TARGET_LABELS;
  const isTarget = targets.includes(filter);
  const before = isTarget ? targets.slice(0, targets.indexOf(filter)) : targets;
  const matchers: Matchers = Object.fromEntries(before.map((label) => [label, `=~$${label}`]));
  const query = `label_values(${select(EXCHANGES, matchers)}, ${filter})`;
  return {
    type: 'query',
    name: filter,
    label: labelTitle(filter),
    datasource: DATA_SOURCE,
    definition: query,
    query: { query, refId: `label_values_${filter}` },
    current: { selected: true, text: ['All'], value: ['$__all'] },
    hide: 0,
    includeAll: true,
    // Whatever has no such label is part of all.
    allValue: isTarget ? '.+' : '.*',
    multi: true,
    options: [],
    refresh: REFRESH_ON_TIME,
    regex: '',
    skipUrlSync: false,
    sort: SORT_BY_NAME,
  };
}

function labelTitle(filter: Filter): string {
  return `${filter.slice(0, 1).toUpperCase()}${filter.slice(1)}`;
}

/** Panels from left to right, a new line where the next does not fit, ids in the order of reading. */
function placed(rows: Dashboard['rows']): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push(rowJson(title, panels.length + 1, y));
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of own) {
      if (x + panel.width > COLUMNS) {
        y += lineHeight;
        x = 0;
        lineHeight = 0;
      }
      panels.push(panelJson(panel, panels.length + 1, { x, y, w: panel.width, h: panel.height }));
      x += panel.width;
      lineHeight = Math.max(lineHeight, panel.height);
    }
    y += lineHeight;
  }
  return panels;
}
