// A panel as Grafana wants it: its place, its queries, its description, and how it looks. The form is that of
// dashboards of schema version 39 (Grafana 10.4 to 11), which every later one takes and brings up to date itself.
import { sampleName } from '../rules/promql.ts';
import { uniqueSpecs } from './ask.ts';
import { emptyUnless } from './needs.ts';
import type { Panel, Target } from './panel.ts';
import { fieldConfig, panelOptions } from './panel-looks.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Queries of a panel are called A, B, C; none has more of them than the alphabet. */
const FIRST_REF_ID = 0x41;

/** Whoever imports a dashboard chooses the data source; no panel names one of its own. */
export const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

export function panelJson(panel: Panel, id: number, gridPos: Place): object {
  const transformations = panel.kind === 'table' ? { transformations: tableColumns(panel) } : {};
  return {
    id,
    type: panel.kind,
    title: panel.title,
    description: describe(panel),
    datasource: DATA_SOURCE,
    gridPos,
    fieldConfig: fieldConfig(panel),
    options: panelOptions(panel),
    targets: panel.targets.map((target, index) => targetJson(panel, target, refIdOf(index))),
    ...transformations,
  };
}

export function rowJson(title: string, id: number, y: number): object {
  return { id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] };
}

/** How to read it, then between which events each figure lies, then why there may be nothing to see. */
export function describe({ reads, targets }: Pick<Panel, 'reads' | 'targets'>): string {
  const specs = uniqueSpecs(targets.map(({ ask }) => ask));
  const meanings = specs.map((spec) => `- \`${sampleName(spec)}\`: ${spec.help}`);
  const needs = [...new Set(targets.flatMap((target) => target.needs ?? []))];
  return [reads, meanings.join('\n'), emptyUnless(needs)].filter((part) => part !== '').join('\n\n');
}

function targetJson({ kind }: Panel, { ask, legend }: Target, refId: string): object {
  const isInstant = ask.isOfRange || kind === 'table';
  const format = { heatmap: 'heatmap', table: 'table' }[kind as string] ?? 'time_series';
  return {
    refId,
    datasource: DATA_SOURCE,
    editorMode: 'code',
    expr: ask.expr,
    format,
    legendFormat: legend,
    instant: isInstant,
    range: !isInstant,
    // A point of an exemplar leads to its trace, where the data source knows a destination for it.
    exemplar: ask.hasExemplars && !isInstant,
  };
}

/** One table of all queries, a line for each value of the label; Grafana calls the columns by their queries. */
function tableColumns({ targets }: Panel): object[] {
  const nameOf = (index: number): string => (targets.length === 1 ? 'Value' : `Value #${refIdOf(index)}`);
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: {},
        renameByName: Object.fromEntries(targets.map(({ legend }, index) => [nameOf(index), legend])),
      },
    },
  ];
}

function refIdOf(index: number): string {
  return String.fromCodePoint(FIRST_REF_ID + index);
}
