// Goal: Grafana takes every dashboard, people can read every panel, and links between them hold. Method: the JSON as
// it is written, taken apart; what Grafana's own schema says of it is asked in test/real.
import { describe, expect, test } from 'vitest';
import type { Objective } from '../../../../src/record/objective.ts';
import type { ClassSpec } from '../../../../src/record/traffic-class.ts';
import { dashboardFiles } from '../../../../src/telemetry/grafana/files.ts';
import { emptyUnless } from '../../../../src/telemetry/grafana/needs.ts';
import { substituted } from '../../../support/panel-queries.ts';

interface Target {
  readonly refId: string;
  readonly datasource: unknown;
  readonly expr: string;
  readonly legendFormat: string;
  readonly instant: boolean;
  readonly range: boolean;
  readonly exemplar: boolean;
  readonly format: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly noValue: string; readonly thresholds?: unknown };
    readonly overrides: readonly { readonly matcher: { readonly options: string }; readonly properties: unknown }[];
  };
  readonly options?: { readonly yAxis?: { readonly unit: string } };
  readonly targets?: readonly Target[];
  readonly transformations?: readonly { readonly options: { readonly renameByName?: Record<string, string> } }[];
}
interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: unknown;
  readonly current?: unknown;
  readonly refresh: number;
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly editable: boolean;
  readonly links: readonly Record<string, unknown>[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

function load(classes: readonly ClassSpec[] = [], dataSourceUid?: string): Dashboard[] {
  const files = dashboardFiles(classes, dataSourceUid === undefined ? {} : { dataSourceUid });
  return files.map(({ text }) => JSON.parse(text) as Dashboard);
}

function promise(name: string, kind: Objective['kind'], rest: Partial<Objective> = {}): Objective {
  return { name, kind, target: 0.95, limitNs: 800e6, ...rest };
}

/** Every place of the grid that it takes. */
function cellsOf({ x, y, w, h }: Panel['gridPos']): string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`);
}

const DASHBOARDS = load();
const PANELS = DASHBOARDS.flatMap((dashboard) =>
  dashboard.panels.map((panel) => ({ where: `${dashboard.uid}, ${panel.title}`, dashboard, ...panel })),
);
const CHARTS = PANELS.filter(({ type }) => type !== 'row');
const DATA_SOURCE = { type: 'prometheus', uid: '${datasource}' };
const UNITS = ['s', 'percentunit', 'reqps', 'cps', 'short', 'none', 'bytes', 'watt', 'bool_yes_no'];

describe('every dashboard', () => {
  test('has an address of its own that Grafana takes, and cannot be edited', () => {
    const uids = DASHBOARDS.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    for (const { uid, title, schemaVersion, editable } of DASHBOARDS) {
      expect(uid).toMatch(/^rubato-[a-z]+$/);
      expect(uid.length).toBeLessThanOrEqual(40);
      expect(title).toMatch(/^rubato \/ /);
      expect(schemaVersion).toBe(39);
      expect(editable).toBe(false);
    }
  });

  test('leads to the others with the same time and filters', () => {
    for (const { tags, links } of DASHBOARDS) {
      expect(links).toHaveLength(1);
      expect(links[0]).toMatchObject({ type: 'dashboards', includeVars: true, keepTime: true });
      expect(links[0]!['tags']).toEqual(tags);
    }
  });

  test('has a variable for the data source, job and instance, and for no filter that changes nothing', () => {
    for (const { uid, templating, panels } of DASHBOARDS) {
      const names = templating.list.map(({ name }) => name);
      expect(names.slice(0, 3), uid).toEqual(['datasource', 'job', 'instance']);
      const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
      for (const name of ['class', 'model', 'route']) {
        expect(names.includes(name), `${uid}, ${name}`).toBe(asked.includes(`=~"$${name}"`));
      }
      // Values are looked up again when the time that is looked at changes.
      for (const { name, refresh } of templating.list) expect(refresh, name).toBe(name === 'datasource' ? 1 : 2);
    }
  });

  test('has panels side by side within 24 columns, none over another, and ids of their own', () => {
    for (const { uid, panels } of DASHBOARDS) {
      expect(panels.map(({ id }) => id)).toEqual(panels.map((_, index) => index + 1));
      const cells = panels.flatMap(({ gridPos }) => cellsOf(gridPos));
      expect(new Set(cells).size, uid).toBe(cells.length);
      for (const { title, gridPos } of panels) {
        expect(gridPos.x + gridPos.w, `${uid}, ${title}`).toBeLessThanOrEqual(24);
      }
    }
  });

  test('fills each line of panels to the right edge', () => {
    for (const { uid, panels } of DASHBOARDS) {
      const lines = Map.groupBy(panels, ({ gridPos }) => gridPos.y);
      for (const [y, line] of lines) {
        const width = line.reduce((sum, { gridPos }) => sum + gridPos.w, 0);
        expect(width, `${uid}, ${line[0]!.title}, ${y}`).toBe(24);
        expect(new Set(line.map(({ gridPos }) => gridPos.h)).size, `${uid}, ${line[0]!.title}`).toBe(1);
      }
    }
  });
});

describe('every panel', () => {
  test('has a title of its own, says how to read it and between which events its figures lie', () => {
    for (const { where, description = '', targets = [] } of CHARTS) {
      const [reads = '', meanings = ''] = description.split('\n\n');
      expect(reads, where).toMatch(/^.{10,}\.$/);
      expect(meanings, where).toMatch(/^- `rubato_/);
      expect(targets.length, where).toBeGreaterThan(0);
    }
    for (const { uid, panels } of DASHBOARDS) {
      const titles = panels.map(({ title }) => title);
      expect(new Set(titles).size, uid).toBe(titles.length);
    }
  });

  test('has a unit, takes its data source from the variable, and shows a dash for what is unknown', () => {
    for (const { where, type, datasource, fieldConfig, options, targets = [] } of CHARTS) {
      expect(datasource, where).toEqual(DATA_SOURCE);
      for (const target of targets) expect(target.datasource, where).toEqual(DATA_SOURCE);
      const unit = type === 'heatmap' ? options?.yAxis?.unit : fieldConfig?.defaults.unit;
      expect(UNITS, where).toContain(unit);
      expect(fieldConfig?.defaults.noValue, where).toBe('–');
    }
  });

  test('asks its queries under names of their own, and once or over time', () => {
    for (const { where, targets = [] } of CHARTS) {
      expect(new Set(targets.map(({ refId }) => refId)).size, where).toBe(targets.length);
      const legends = targets.map(({ legendFormat }) => legendFormat);
      expect(new Set(legends).size, where).toBe(legends.length);
      for (const { instant, range, expr } of targets) {
        expect(instant, where).toBe(!range);
        // A panel over time would draw the same value of the whole time at each of its points.
        if (expr.includes('$__range')) expect(instant, where).toBe(true);
      }
    }
  });

  test('takes a rate over the interval that Grafana makes of the scrape interval', () => {
    const seen = new Map<string, number>();
    for (const { where, targets = [] } of CHARTS) {
      for (const { expr } of targets) {
        for (const [, name = '', window = ''] of expr.matchAll(/\b(rate|increase)\([^[]*\[([^\]]+)\]/g)) {
          const windows = name === 'rate' ? ['$__rate_interval'] : ['$__rate_interval', '$__range'];
          expect(windows, where).toContain(window);
          seen.set(name, (seen.get(name) ?? 0) + 1);
        }
      }
    }
    expect(seen.get('rate')).toBeGreaterThan(100);
    expect(seen.get('increase')).toBeGreaterThan(10);
  });

  test('of buckets over time asks for exemplars', () => {
    const asked = CHARTS.flatMap(({ targets = [] }) => targets).filter(({ exemplar }) => exemplar);
    expect(asked.length).toBeGreaterThan(50);
    for (const { expr, instant } of asked) {
      expect(expr).toContain('_bucket{');
      expect(instant).toBe(false);
    }
  });

  test('that is a heatmap gets buckets as they are', () => {
    const maps = CHARTS.filter(({ type }) => type === 'heatmap');
    expect(maps.length).toBeGreaterThanOrEqual(5);
    for (const { targets = [], where } of maps) {
      expect(
        targets.map(({ format, legendFormat }) => [format, legendFormat]),
        where,
      ).toEqual([['heatmap', '{{le}}']]);
      expect(targets[0]!.expr, where).toMatch(/^sum by \(le\) \(increase\(/);
    }
  });

  test('that is a table names a column for each of its queries', () => {
    for (const { targets = [], transformations = [] } of CHARTS.filter(({ type }) => type === 'table')) {
      const names = Object.entries(transformations[1]!.options.renameByName!);
      expect(names).toEqual(targets.map(({ refId, legendFormat }) => [`Value #${refId}`, legendFormat]));
    }
  });

  test('names in an override a line that it has', () => {
    for (const { where, targets = [], fieldConfig } of CHARTS) {
      const legends = targets.map(({ legendFormat }) => legendFormat);
      for (const { matcher } of fieldConfig?.overrides ?? []) expect(legends, where).toContain(matcher.options);
    }
  });
});

describe('a configuration', () => {
  const CLASSES: readonly ClassSpec[] = [
    {
      name: 'chat',
      stallMs: 100,
      rules: [],
      objectives: [
        promise('ttft', 'ttft'),
        promise('ttft_huge', 'ttft', { target: 0.9, scope: { promptBuckets: ['16k-64k', '64k+'] } }),
        promise('e2e', 'e2e', { scope: { outputTokensMax: 256 } }),
        // Not in any histogram of the class, and no length.
        promise('gap_p95', 'gap_percentile'),
        { name: 'valid', kind: 'valid', target: 0.99 },
      ],
    },
    { name: 'batch', stallMs: 100, rules: [] },
  ];

  function promised(): Panel[] {
    const panels = load(CLASSES).find(({ uid }) => uid === 'rubato-slo')!.panels;
    return panels.slice(panels.findIndex(({ title }) => title === 'What is promised to chat'));
  }

  test('adds a panel for each promise about a length, with its limit', () => {
    expect(promised().map(({ title }) => title)).toEqual([
      'What is promised to chat',
      'chat: ttft',
      'chat: ttft_huge',
      'chat: e2e',
    ]);
    expect(promised()[1]!.fieldConfig!.defaults.thresholds).toEqual({
      mode: 'absolute',
      steps: [
        { color: 'green', value: null },
        { color: 'red', value: 0.8 },
      ],
    });
  });

  test('has the percentile of the promise looked at, of the class and the prompts that it is for', () => {
    const [, ttft, huge, e2e] = promised().map(({ targets, description }) => ({
      expr: substituted(targets?.[0]?.expr ?? ''),
      description,
    }));
    expect(ttft!.expr).toContain('histogram_quantile(0.95, sum by (le) (rate(rubato_demand_ttft_seconds_bucket{');
    expect(ttft!.expr).toContain('class="chat"');
    expect(ttft!.description).not.toContain('some exchanges only');
    expect(huge!.expr).toContain('prompt_bucket=~"16k-64k|64k\\\\+"');
    expect(huge!.expr).toContain('histogram_quantile(0.9,');
    expect(e2e!.description).toContain('for some exchanges only');
  });

  test('without promises adds nothing', () => {
    expect(load(CLASSES.slice(1))).toEqual(DASHBOARDS);
  });

  test('and the data source to begin with stand in the variable only', () => {
    const [first] = load([], 'mimir-1');
    expect(first!.templating.list[0]!.current).toEqual({ selected: true, text: 'mimir-1', value: 'mimir-1' });
    expect(first!.panels).toEqual(DASHBOARDS[0]!.panels);
    expect(DASHBOARDS[0]!.templating.list[0]!.current).toBeUndefined();
  });
});

test('an empty panel says why it is empty', () => {
  expect(emptyUnless([])).toBe('');
  expect(emptyUnless(['gpus', 'jobs'])).toBe(
    'Empty without `--gpu-metrics`; until requests name a batch job in `x-job-id`.',
  );
  const engine = DASHBOARDS.find(({ uid }) => uid === 'rubato-engine')!;
  expect(engine.panels.find(({ title }) => title === 'GPU power')!.description).toMatch(
    /\n\nEmpty without `--gpu-metrics`\.$/,
  );
});
