// Goal: routes that lead to one place share one look at it, and what is off or hosted is never asked.
// Method: a real server; routes as the configuration gives them.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Report } from '../../../../src/judge/report.ts';
import {
  createEngineMetrics,
  type EngineMetrics,
  type EngineMetricsOptions,
} from '../../../../src/observe/engine-metrics/engine-metrics.ts';
import { poll, sleep } from '../../../support/signal.ts';
import { catchLog, reportOf, usualStream } from '../../telemetry/reports.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { vllmPage } from './pages.ts';

type Route = EngineMetricsOptions['routes'][number];

let server: MetricsServer;
let metrics: EngineMetrics;

beforeEach(async () => {
  server = await startMetricsServer({ '/metrics': vllmPage({ running: 3 }) });
});

afterEach(async () => {
  await metrics.close();
  await server.close();
});

function make(routes: readonly Route[]): EngineMetrics {
  metrics = createEngineMetrics({
    routes,
    intervalMs: 60_000,
    gpuMetricsUrl: undefined,
    tls: { caPem: undefined, insecure: false },
    log: catchLog(),
    openRoutes: () => [],
  });
  return metrics;
}

function route(name: string, place: string, changes: Partial<Route['engine']> = {}, origin = server.url): Route {
  return {
    name,
    upstream: { origin },
    engine: { name: undefined, metrics: place, perfMetricsUrl: undefined, ...changes },
  };
}

function report(of: string, outcome: Report['record']['end']['outcome'] = 'ok', streamed = true): Report {
  const made = reportOf(usualStream(3), { id: '0-1' });
  const { record } = made;
  return {
    ...made,
    record: { ...record, route: of, end: { ...record.end, outcome }, answer: { ...record.answer, streamed } },
  };
}

test('two routes to one place share its polls, its engine and its load', async () => {
  const { view, states } = make([
    route('a', `${server.url}/metrics`),
    route('b', `${server.url}/metrics`),
    route('c', 'off'),
  ]);
  expect([view.engine('a'), view.running('a'), states().map(({ up }) => up)]).toEqual([
    undefined,
    undefined,
    [false, false],
  ]);
  metrics.start();
  await poll('the engine', () => view.engine('b'));
  expect(server.asked).toEqual(['/metrics']);
  expect([view.running('a')?.count, view.running('c'), view.engine('c'), view.engine('nowhere')]).toEqual([
    3,
    undefined,
    undefined,
    undefined,
  ]);
  expect(view.running('a')?.ageMs).toBeGreaterThanOrEqual(0);
  expect(states().map(({ route: of, runningCount }) => [of, runningCount])).toEqual([
    ['a', 3],
    ['b', 3],
  ]);
});

test('a report of an answer that streamed well starts the search, and no other does', async () => {
  const { sink, states } = make([route('a', 'auto')]);
  metrics.start();
  sink.onReport?.(report('a', 'incomplete'), undefined);
  sink.onReport?.(report('a', 'ok', false), undefined);
  sink.onReport?.(report('elsewhere'), undefined);
  await sleep(50);
  expect([server.asked, states()]).toEqual([[], []]);
  sink.onReport?.(report('a'), undefined);
  await poll('the engine', () => states()[0]?.engine);
});

test('sources of evidence are those that something is configured for', () => {
  const names = () => metrics.lateSources.map(({ name }) => name);
  make([route('a', 'off')]);
  expect(names()).toEqual([]);
  make([route('a', 'auto')]);
  expect(names()).toEqual(['isolated-counters']);
  make([route('a', 'off', { perfMetricsUrl: `${server.url}/perf_metrics` }), route('b', 'auto')]);
  expect(names()).toEqual(['perf-metrics', 'isolated-counters']);
});

test('faults are told by route and kind', async () => {
  const { faults } = make([route('a', `${server.url}/gone`), route('b', 'auto')]);
  metrics.start();
  await poll('a fault', () => (faults().length > 0 ? true : undefined));
  expect(faults()).toEqual([{ route: 'a', fault: 'absent', count: 1 }]);
});
