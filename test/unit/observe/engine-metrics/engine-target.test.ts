// Goal: metrics are found where they are and only when it is worth a look; what fails is told of once;
// numbers of an engine that fell silent are not shown as if they were of now.
// Method: a real server, short intervals, conditions waited for instead of times.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EngineState } from '../../../../src/judge/engine-state.ts';
import { EngineTarget, type TargetOptions } from '../../../../src/observe/engine-metrics/engine-target.ts';
import { isHosted } from '../../../../src/observe/engine-metrics/hosted.ts';
import { MetricsClient } from '../../../../src/observe/engine-metrics/metrics-client.ts';
import { poll, sleep } from '../../../support/signal.ts';
import { catchLog, type CaughtLog } from '../../telemetry/reports.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { tensorRtLlmPage, vllmPage } from './pages.ts';

const INTERVAL_MS = 30;

let server: MetricsServer;
let client: MetricsClient;
let log: CaughtLog;
let target: EngineTarget;

beforeEach(async () => {
  server = await startMetricsServer();
  client = new MetricsClient({ caPem: undefined, insecure: false });
  log = catchLog();
});

afterEach(async () => {
  vi.restoreAllMocks();
  target.close();
  await client.close();
  await server.close();
});

function make(changes: Partial<TargetOptions> = {}): EngineTarget {
  target = new EngineTarget({
    url: undefined,
    upstreamOrigin: server.url,
    engine: undefined,
    intervalMs: INTERVAL_MS,
    client,
    log,
    ...changes,
  });
  return target;
}

function state(what: string, holds: (state: EngineState) => boolean): Promise<EngineState> {
  return poll(what, () => {
    const now = target.state('chat');
    return now !== undefined && holds(now) ? now : undefined;
  });
}

/** Has the monotonic clock stand so many seconds ahead of where it really is. */
function jumpBy(seconds: number): void {
  vi.restoreAllMocks();
  const { hrtime } = process;
  vi.spyOn(process, 'hrtime').mockImplementation(() => {
    const [whole, nanoseconds] = hrtime.call(process);
    return [whole + seconds, nanoseconds];
  });
}

const words = (): string[] => log.lines.map(({ level, message }) => `${level}: ${message}`);

describe('a configured place', () => {
  test('is polled from the start, and its numbers are shown with their age', async () => {
    server.answers['/m?x=1'] = vllmPage({ running: 2, waiting: 5, preempted: 4 });
    make({ url: `${server.url}/m?x=1` }).start();
    const first = await state('a poll', ({ up }) => up);
    expect(first).toMatchObject({ route: 'chat', engine: 'vllm', runningCount: 2, waitingCount: 5, kvUsedRatio: 0.25 });
    expect(first.ageNs).toBeGreaterThan(0);
    expect([first.preemptedCount, target.engine]).toEqual([0, 'vllm']);
    server.answers['/m?x=1'] = vllmPage({ preempted: 6, queue: [1, 4], generated: 8 });
    const later = await state('a window with requests', ({ window }) => window?.queueMeanNs !== undefined);
    expect(later.window?.queueMeanNs).toBe(250_000_000);
    expect(later.preemptedCount).toBe(2);
    expect(words()).toEqual([]);
  });

  test('that fails is told of once, and again when it can be read; the counts tell how often', async () => {
    make({ url: `${server.url}/m?token=secret` }).start();
    expect(target.state('chat')).toEqual({ route: 'chat', up: false });
    await poll('several faults', () => ((target.faultCounts.get('absent') ?? 0) > 2 ? true : undefined));
    server.answers['/m?token=secret'] = vllmPage();
    await state('a poll', ({ up }) => up);
    expect(words()).toEqual([
      "warn: the engine's metrics cannot be read: there is no such page, or not for us",
      "info: the engine's metrics can be read again",
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('secret');
    server.answers['/m?token=secret'] = 'unrelated_total 5\n';
    await poll('a fault', () => target.faultCounts.get('unknown_names'));
    expect(target.state('chat')).toMatchObject({ up: false, runningCount: 0 });
    expect(target.failedAskedAtNs).toBeGreaterThan(0);
  });

  test('counts how often its engine began anew: its counters fell, or another engine answers', async () => {
    server.answers['/m'] = vllmPage({ queue: [1, 4], generated: 8 });
    make({ url: `${server.url}/m` }).start();
    await state('a poll', ({ up }) => up);
    expect(target.startCount).toBe(0);
    server.answers['/m'] = vllmPage({ queue: [1, 4], generated: 9 });
    await poll('further polls', () => (target.polls.length > 4 ? true : undefined));
    expect(target.startCount).toBe(0);
    server.answers['/m'] = vllmPage({ generated: 1 });
    await poll('a new start', () => (target.startCount > 0 ? true : undefined));
    expect(target.startCount).toBe(1);
  });

  test('that fell silent keeps its age and loses its numbers', async () => {
    server.answers['/m'] = vllmPage({ running: 2 });
    make({ url: `${server.url}/m` }).start();
    await state('a poll', ({ up }) => up);
    target.close();
    jumpBy(16);
    const silent = target.state('chat');
    expect(silent?.ageNs).toBeGreaterThan(15e9);
    expect(silent).toMatchObject({ engine: 'vllm', up: true });
    expect([silent?.runningCount, silent?.window]).toEqual([undefined, undefined]);
  });

  test('keeps a bounded number of polls', async () => {
    server.answers['/m'] = vllmPage();
    make({ url: `${server.url}/m`, intervalMs: 1 }).start();
    await poll('many polls', () => (server.asked.length > 100 ? true : undefined));
    expect(target.polls.length).toBeLessThanOrEqual(64);
  });
});

describe('a place to be found', () => {
  test('is asked nothing before an answer has streamed well', async () => {
    make().start();
    await sleep(3 * INTERVAL_MS);
    expect([server.asked, target.state('chat')]).toEqual([[], undefined]);
  });

  test('is the usual path, and is polled from then on', async () => {
    server.answers['/metrics'] = vllmPage({ running: 1 });
    make().noteAnswer(undefined);
    await state('polls', ({ window }) => window !== undefined);
    expect(words()).toEqual(["info: found the engine's metrics"]);
    expect(log.lines[0]?.fields).toEqual({ url: `${server.url}/metrics`, engine: 'vllm' });
  });

  test.each([
    ['nothing', undefined],
    ['other metrics', 'http_requests_total 5\n'],
    ['a page in words', '<html>\n'],
  ])('holds %s, and is not asked again soon', async (_, page) => {
    if (page !== undefined) server.answers['/metrics'] = page;
    make().noteAnswer('vllm');
    await poll('a look', () => (server.asked.length > 0 ? true : undefined));
    await sleep(3 * INTERVAL_MS);
    target.noteAnswer('vllm');
    await sleep(INTERVAL_MS);
    expect([server.asked, words(), target.state('chat'), [...target.faultCounts]]).toEqual([
      ['/metrics'],
      [],
      undefined,
      [],
    ]);
  });

  test('is the other path where the usual one holds JSON, and the usual one is then left alone', async () => {
    server.answers['/metrics'] = '[{"iter": 1}]';
    server.answers['/prometheus/metrics'] = tensorRtLlmPage('trtllm_');
    make().noteAnswer(undefined);
    await state('polls', ({ window }) => window !== undefined);
    expect([target.engine, server.asked.filter((path) => path === '/metrics').length]).toEqual(['tensorrt-llm', 1]);
  });

  test('is the other path alone where the engine is known, for reading the usual one takes from its readers', async () => {
    make().noteAnswer('tensorrt-llm');
    await poll('a look', () => (server.asked.length > 0 ? true : undefined));
    await sleep(INTERVAL_MS);
    expect(server.asked).toEqual(['/prometheus/metrics']);
  });

  test('is left alone once it has been away for long, and looked for anew when traffic asks for it', async () => {
    server.answers['/metrics'] = vllmPage({ running: 1 });
    make().noteAnswer(undefined);
    await state('polls', ({ window }) => window !== undefined);
    delete server.answers['/metrics'];
    await poll('a fault', () => target.faultCounts.get('absent'));
    jumpBy(301);
    await poll('the end of polling', async () => {
      const { length } = server.asked;
      await sleep(3 * INTERVAL_MS);
      return server.asked.length === length ? true : undefined;
    });
    expect(target.state('chat')).toMatchObject({ up: false, engine: 'vllm' });
    server.answers['/metrics'] = vllmPage({ running: 4 });
    target.noteAnswer(undefined);
    target.askSoon(0);
    await sleep(INTERVAL_MS);
    expect(target.state('chat')?.up).toBe(false);
    jumpBy(602);
    target.noteAnswer(undefined);
    await state('the new polls', ({ runningCount }) => runningCount === 4);
  });

  test('is never a hosted service', () => {
    expect(
      [
        isHosted('https://api.openai.com', undefined),
        isHosted('https://x.openai.azure.com', undefined),
        isHosted('https://gateway.example.com', 'groq'),
        isHosted('https://gateway.example.com', 'vllm'),
        isHosted('https://notopenai.com', undefined),
        isHosted('http://127.0.0.1:8000', 'openai'),
      ].map(Number),
    ).toEqual([1, 1, 1, 0, 0, 0]);
  });
});
