// Goal: every query of every shipped panel and rule brings data in a real Prometheus, under the same names, labels and
// values whether it scraped rubato or rubato's OTLP came through a real Collector with a shipped configuration.
// Method: a sidecar under a load in which everything happens that has a metric; a Prometheus for each way.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Need } from '../../src/telemetry/grafana/needs.ts';
import type { RuleGroup } from '../../src/telemetry/rules/rule.ts';
import { configFile } from '../support/config-file.ts';
import { panelQueries } from '../support/panel-queries.ts';
import { NODE, ROOT } from '../support/program.ts';
import { readPromql } from '../support/promql.ts';
import { poll, sleep } from '../support/signal.ts';
import { collectorProgram } from './collector/collector.ts';
import { orMissing, say } from './judge/missing.ts';
import { CONFIG, startLoad, type Load } from './prometheus/load.ts';
import { newPrometheus } from './prometheus/new-prometheus.ts';
import { Prometheus, type Series } from './prometheus/prometheus.ts';
import { startTee } from './prometheus/tee.ts';
import { startWay, WAYS, type Way } from './prometheus/ways.ts';

/** Some of what happens needs its time: a job must end, calibration must learn, a window must be full. */
const DATA_WAIT_MS = 150_000;
const LOOK_EVERY_MS = 5_000;
/** A look at all queries takes a second or two; a minute is what a panel over an hour has. */
const TIMES = { rateInterval: '1m', range: '10m' } as const;

/** What no load brings on every machine. */
const NOT_EVERYWHERE: ReadonlySet<Need> = new Set<Need>([
  // The kernel tells of a quota only where there is one.
  'quota',
]);

const program = await orMissing('Collector (for Prometheus)', collectorProgram);
const isThere = program !== undefined && spawnSync('prometheus', ['--version']).error === undefined;
if (program !== undefined && !isThere)
  say('!!!!!!!! NOT TESTED with a real Prometheus: it is not installed (Debian package prometheus) !!!!!!!!');

const newProgram = isThere ? await orMissing('Prometheus that takes OTLP', newPrometheus) : undefined;
const ways = WAYS.filter((way) => way !== 'by its OTLP receiver' || newProgram !== undefined);

const closers: (() => Promise<void>)[] = [];
let load: Load | undefined;
const prometheus = {} as Record<Way, Prometheus>;
const beganAtEpochS = Date.now() / 1000;

const rulesText = isThere
  ? execFileSync(NODE, ['src/main.ts', 'rules', '--config', configFile(CONFIG)], { cwd: ROOT, encoding: 'utf8' })
  : 'groups: []';
const rules = rulesOf(rulesText);
const SHIPPED = join(ROOT, 'deploy/prometheus');
/** Those of this configuration, which Prometheus runs, and those of the file that is shipped. */
const allRules = [...rules, ...rulesOf(readFileSync(join(SHIPPED, 'rubato.rules.yml'), 'utf8'))];

function rulesOf(text: string): RuleGroup['rules'] {
  const { groups } = parse(text) as { groups: readonly RuleGroup[] };
  return groups.flatMap((group) => group.rules);
}

beforeAll(async () => {
  if (!isThere) return;
  // Evaluated each second, for a test does not wait for minutes.
  const quick = rulesText.replaceAll(/interval: \w+/g, 'interval: 1s');
  const urls: string[] = [];
  for (const way of ways) {
    if (way === 'scraped') continue;
    const end = await startWay(way, { collectorProgram: program, newProgram, rules: quick });
    if (end === undefined) continue;
    closers.push(end.prometheus.stop.bind(end.prometheus), end.collector.stop);
    prometheus[way] = end.prometheus;
    urls.push(end.collector.otlpUrl);
  }
  const tee = await startTee(urls);
  load = await startLoad(tee.url);
  const target = `127.0.0.1:${load.sidecar.adminPort}`;
  prometheus.scraped = await Prometheus.start({ scrape: { target, honorLabels: false }, rules: quick });
  closers.push(tee.stop, load.stop, prometheus.scraped.stop.bind(prometheus.scraped));
});

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Looks until there is nothing left in what is returned, or tells what was left. */
async function untilNone(look: () => Promise<string[]>): Promise<void> {
  const deadline = Date.now() + DATA_WAIT_MS;
  for (;;) {
    const left = await look();
    if (left.length === 0) return;
    if (Date.now() > deadline) expect(left).toEqual([]);
    await sleep(LOOK_EVERY_MS);
  }
}

/** A quantile of nothing is NaN, which a panel shows as nothing. */
function hasData(series: readonly Series[]): boolean {
  return series.some(({ value }) => value[1] !== 'NaN');
}

describe.skipIf(!isThere).each(ways)('in Prometheus, %s,', (way) => {
  test('every query of every panel brings data', async () => {
    const queries = panelQueries(TIMES);
    expect(queries.length).toBeGreaterThan(100);
    const wanted = queries.filter(({ needs }) => !needs.some((need) => NOT_EVERYWHERE.has(need)));
    await untilNone(async () => {
      const empty: string[] = [];
      for (const { dashboard, panel, expr } of wanted) {
        if (!hasData(await prometheus[way].query(expr))) empty.push(`${dashboard}: ${panel}: ${expr}`);
      }
      return empty;
    });
  });

  test('every rule is evaluated without a fault, and what is recorded has data', async () => {
    const records = allRules.filter((rule) => 'record' in rule);
    expect(records.length).toBeGreaterThan(10);
    await untilNone(async () => {
      const empty: string[] = [];
      for (const rule of records) if (!hasData(await prometheus[way].query(rule.expr))) empty.push(rule.expr);
      return empty;
    });
    const states = await prometheus[way].rules();
    expect(states.map(({ name, health, lastError }) => [name, health, lastError])).toEqual(
      states.map(({ name }) => [name, 'ok', undefined]),
    );
    expect(states).toHaveLength(rules.length);
  });

  test('everything that an alert asks for is there, whether it fires or not', async () => {
    const alerts = allRules.filter((rule) => 'alert' in rule);
    expect(alerts.length).toBeGreaterThan(10);
    const asked = alerts.map(({ expr }) => readPromql(expr));
    expect(asked.flatMap(({ faults }) => faults)).toEqual([]);
    const selectors = new Set(asked.flatMap((query) => query.selectors.map(({ text }) => text)));
    await untilNone(async () => {
      const missing: string[] = [];
      for (const selector of selectors) {
        if ((await prometheus[way].query(`last_over_time(${selector}[10m])`)).length === 0) missing.push(selector);
      }
      return missing.filter((selector) => !selector.includes('throttled'));
    });
  });
});

describe.skipIf(!isThere)('all ways', () => {
  test('an exemplar of a scraped histogram names a trace', async () => {
    const found = await prometheus.scraped.exemplars('rubato_ttft_seconds_bucket', [
      beganAtEpochS,
      Date.now() / 1000 + 1,
    ]);
    const traces = found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels['trace_id']));
    expect(traces.length).toBeGreaterThan(0);
    for (const trace of traces) expect(trace).toMatch(/^[0-9a-f]{32}$/);
  });

  test('Prometheus’ own tool has nothing to say against the metrics', async () => {
    const { text } = await load!.sidecar.admin('/metrics');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });

  test('have the same names and labels, and once it is quiet the same counts', async () => {
    await load!.quiet();
    const sentWays = ways.filter((way) => way !== 'scraped');
    expect(sentWays.length).toBeGreaterThan(1);
    // What ends last is counted a little later, then sent within a second, then scraped within another.
    const compared = async (): Promise<true | undefined> => {
      const scraped = await stateOf(prometheus.scraped);
      for (const way of sentWays) {
        const sent = await stateOf(prometheus[way]);
        if (![...scraped].every(([series, value]) => sent.get(series) === value)) return undefined;
      }
      return true;
    };
    await poll('all to be the same', compared, 30_000, 1_000).catch(() => undefined);
    const scraped = await stateOf(prometheus.scraped);
    expect(scraped.size).toBeGreaterThan(500);
    for (const way of sentWays) {
      const sent = await stateOf(prometheus[way]);
      expect(differences(scraped, sent), way).toEqual([]);
    }
  });

  test('write the bounds of buckets alike where Prometheus scrapes', async () => {
    const bounds = await Promise.all(
      (['scraped', 'through the Collector'] as const).map(async (way) => {
        const series = await prometheus[way].query('count by (le) ({__name__=~"rubato_.+_bucket"})');
        return series.map(({ metric }) => metric['le']).toSorted();
      }),
    );
    expect(bounds[0]!.length).toBeGreaterThan(50);
    expect(bounds[1]).toEqual(bounds[0]);
  });
});

/** Series of which one side has nothing or something else, as text. */
function differences(scraped: ReadonlyMap<string, string>, sent: ReadonlyMap<string, string>): string[] {
  const all = new Set([...scraped.keys(), ...sent.keys()]);
  return [...all].flatMap((series) => {
    const values = [scraped.get(series) ?? '–', sent.get(series) ?? '–'];
    return values[0] === values[1] ? [] : [`${series}: ${values.join(' scraped, sent ')}`];
  });
}

/** What moves on by itself, or says how things stand this moment: there the series are compared and not their values. */
const ALIVE = /^rubato_(self|engine|gpu|floor|active|prefill_step)_?/;
/**
 * Gauges over a window of time, which are told no more when nothing is left in it: a scrape shows that at once, while a
 * Collector tells the last number until its `metric_expiration`, since OTLP from here has no mark for an end.
 */
const ENDS = /^rubato_(engine_.*_window|prefill_step|floor)_/;

/** Every series of ours now, without what tells the ways apart, by its value. */
async function stateOf(from: Prometheus): Promise<Map<string, string>> {
  const series = await from.query('{__name__=~"rubato_.+|gen_ai_.+"}');
  const lasting = series.filter(({ metric }) => !ENDS.test(metric['__name__'] ?? ''));
  const rows = lasting.map(({ metric, value }): [string, string] => {
    const { __name__: name = '', job: _, instance: __, ...labels } = metric;
    const texts = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
    // What is sent writes bounds in digits alone, and is never in one query with what is scraped.
    const told = texts.map(([label, text]) => `${label}="${label === 'le' && text !== '+Inf' ? Number(text) : text}"`);
    const key = `${name}{${told.join(',')}}`;
    return [key, ALIVE.test(name) ? 'moves' : value[1]];
  });
  return new Map(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
