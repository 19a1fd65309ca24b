// Goal: routes that lead to one place share one look at it, and what is off or hosted is never asked.
// Method: a real server; routes as the configuration gives them.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Report } from '../../../../src/judge/report.ts';
import {
  EngineMetrics,
  type PolledRoute,
  type PollSettings,
} from '../../../../src/observe/engine-metrics/engine-metrics.ts';
import { poll, sleep } from '../../../support/signal.ts';
import { catchLog, reportOf, usualStream } from '../../telemetry/reports.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { vllmPage } from './pages.ts';

let server: MetricsServer;
let metrics: EngineMetrics;

beforeEach(async () => {
  server = await startMetricsServer({ '/metrics': vllmPage({ running: 3 }) });
});

afterEach(async () => {
  await metrics.close();
  await server.close();
});

function settingsOf(routes: readonly PolledRoute[]): PollSettings {
  return { routes, intervalMs: 60_000, gpuMetricsUrl: undefined, tls: { caPem: undefined, insecure: false } };
}

function make(routes: readonly PolledRoute[]): EngineMetrics {
  metrics = new EngineMetrics({ ...settingsOf(routes), log: catchLog(), openRoutes: () => [] });
  return metrics;
}

function route(
  name: string,
  place: string,
  changes: Partial<PolledRoute['engine']> = {},
  origin = server.url,
): PolledRoute {
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
  make([route('a', `${server.url}/metrics`), route('b', `${server.url}/metrics`), route('c', 'off')]);
  const { view } = metrics;
  const states = () => metrics.states();
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
  const { sink } = make([route('a', 'auto')]);
  const states = () => metrics.states();
  metrics.start();
  sink.onReport?.(report('a', 'incomplete'), undefined);
  sink.onReport?.(report('a', 'ok', false), undefined);
  sink.onReport?.(report('elsewhere'), undefined);
  await sleep(50);
  expect([server.asked, states()]).toEqual([[], []]);
  sink.onReport?.(report('a'), undefined);
  await poll('the engine', () => states()[0]?.engine);
});

test('faults are told by route and kind', async () => {
  make([route('a', `${server.url}/gone`), route('b', 'auto')]);
  metrics.start();
  await poll('a fault', () => (metrics.faults().length > 0 ? true : undefined));
  expect(metrics.faults()).toEqual([{ route: 'a', fault: 'absent', count: 1 }]);
});

test('what is asked as before goes on, with all that is known, while other routes come and go', async () => {
  make([route('a', `${server.url}/metrics`)]);
  metrics.start();
  await poll('the engine', () => metrics.view.engine('a'));
  await metrics.reconfigure(settingsOf([route('b', 'auto'), route('a', `${server.url}/metrics`)]));
  expect([metrics.view.running('a')?.count, metrics.view.engine('b')]).toEqual([3, undefined]);
  expect(server.asked).toEqual(['/metrics']);
  await metrics.reconfigure(settingsOf([route('b', `${server.url}/metrics`)]));
  expect([metrics.view.running('a'), metrics.view.running('b')?.count]).toEqual([undefined, 3]);
});

test('what is asked by other means is asked anew', async () => {
  make([route('a', `${server.url}/metrics`)]);
  metrics.start();
  await poll('the engine', () => metrics.view.engine('a'));
  const settings = settingsOf([route('a', `${server.url}/metrics`)]);
  await metrics.reconfigure({ ...settings, tls: { caPem: undefined, insecure: true } });
  expect(metrics.view.engine('a')).toBeUndefined();
  await poll('the engine', () => metrics.view.engine('a'));
  await metrics.reconfigure({ ...settings, intervalMs: 30_000 });
  expect(metrics.view.engine('a')).toBeUndefined();
  await poll('the engine', () => metrics.view.engine('a'));
  expect(server.asked).toHaveLength(3);
});

test('counts of faults do not fall when a route goes or another counts for it', async () => {
  make([route('a', `${server.url}/gone`), route('b', `${server.url}/away`)]);
  metrics.start();
  await poll('two faults', () => (metrics.faults().length === 2 ? true : undefined));
  await metrics.reconfigure(settingsOf([route('b', `${server.url}/gone`)]));
  expect(metrics.faults()).toEqual([
    { route: 'a', fault: 'absent', count: 1 },
    { route: 'b', fault: 'absent', count: 1 },
  ]);
});
