// Goal: TensorRT-LLM's list gives each request's own times to the exchange with its number, whoever's
// end had it read, and to no other.
// Method: a real server that hands its list out once, exchanges that end at once.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nowNs } from '../../../../src/base/clock.ts';
import { MetricsClient } from '../../../../src/observe/engine-metrics/metrics-client.ts';
import { PerfMetrics } from '../../../../src/observe/engine-metrics/perf-metrics.ts';
import type { EndedExchange } from '../../../../src/observe/late-evidence.ts';
import { endedExchange } from '../../../support/ended-exchange.ts';
import { poll } from '../../../support/signal.ts';
import { catchLog, type CaughtLog } from '../../telemetry/reports.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';

let server: MetricsServer;
let client: MetricsClient;
let log: CaughtLog;
let list: unknown[];
let source: PerfMetrics;

beforeEach(async () => {
  list = [];
  server = await startMetricsServer({
    '/perf_metrics': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
      list = [];
    },
  });
  client = new MetricsClient({ caPem: undefined, insecure: false });
  log = catchLog();
  source = new PerfMetrics(log);
  source.arrange(new Map([['default', `${server.url}/perf_metrics`]]), client);
});

afterEach(async () => {
  vi.restoreAllMocks();
  source.close();
  await client.close();
  await server.close();
});

/** 120 ms of queue, 250 ms of prefill; our own clock saw 400 ms. */
function entry(requestId: unknown, times: Record<string, unknown> = {}): object {
  const timing = {
    arrival_time: 100.5,
    first_scheduled_time: 100.62,
    first_token_time: 100.87,
    last_token_time: 102,
    ...times,
  };
  return { request_id: requestId, perf_metrics: { first_iter: 1, last_iter: 9, timing_metrics: timing } };
}

function exchange(responseId: string | undefined, changes: Partial<EndedExchange> = {}): EndedExchange {
  const endedAtNs = nowNs();
  return endedExchange({
    id: `x-${responseId}`,
    openedAtNs: endedAtNs - 2e9,
    endedAtNs,
    subject: { requestSentAtNs: 1e6, firstTokenAtNs: 401e6 },
    responseId,
    ...changes,
  });
}

const EVIDENCE = {
  source: 'perf-metrics',
  basis: 'exact',
  definition: 'arrival at the executor → first scheduled → first token',
  queueNs: 120_000_000,
  prefillNs: 250_000_000,
};

async function settled(ended: EndedExchange) {
  source.onEnded(ended);
  await poll('the end of waiting', () => (source.awaits(ended) ? undefined : true));
  return source.evidenceFor(ended);
}

describe('an exchange', () => {
  test('finds its request by the number its id ends in', async () => {
    list = [entry(16), entry(17), entry('18')];
    const ended = exchange('chatcmpl-17');
    source.onEnded(ended);
    expect([source.awaits(ended), source.evidenceFor(ended)]).toEqual([true, []]);
    expect(await settled(ended)).toEqual([EVIDENCE]);
    // What was read for one is there for the others at once, for the list is empty now.
    expect([source.evidenceFor(exchange('cmpl-18')), source.awaits(exchange('chatcmpl-16'))]).toEqual([
      [EVIDENCE],
      false,
    ]);
    expect(server.asked).toHaveLength(1);
  });

  test('is given an entry that is written only after the first look', async () => {
    const ended = exchange('chatcmpl-17');
    source.onEnded(ended);
    await poll('a first look', () => (server.asked.length > 0 ? true : undefined));
    list = [entry(17)];
    expect(await settled(ended)).toEqual([EVIDENCE]);
  });

  test('with an id that is no number is not waited for', async () => {
    for (const id of [undefined, 'chatcmpl-1f3a', 'chatcmpl-a1', '17', 'x-17-b']) {
      source.onEnded(exchange(id));
      expect(source.awaits(exchange(id)), id).toBe(false);
    }
    expect(source.awaits(exchange('chatcmpl-17', { route: 'other' }))).toBe(false);
    expect(server.asked).toEqual([]);
  });

  test('is not given an entry that was read before it began: a server that starts anew counts anew', async () => {
    list = [entry(1), entry(17)];
    expect(await settled(exchange('chatcmpl-17'))).toEqual([EVIDENCE]);
    const later = exchange('chatcmpl-1', { openedAtNs: nowNs(), endedAtNs: nowNs() + 5e8 });
    source.onEnded(later);
    expect([source.awaits(later), source.evidenceFor(later)]).toEqual([true, []]);
    list = [entry(1, { arrival_time: 100.6 })];
    expect(await settled(later)).toMatchObject([{ queueNs: 20_000_000 }]);
  });

  test('gives up after a while', () => {
    const ended = exchange('chatcmpl-17', { endedAtNs: nowNs() - 1.6e9 });
    expect(source.awaits(ended)).toBe(false);
  });
});

describe('an entry says nothing', () => {
  test.each<[string, object | string | number]>([
    ['without its times', { request_id: 17 }],
    ['of a request without a first token', entry(17, { first_token_time: 0 })],
    ['with a moment that is null', entry(17, { first_scheduled_time: null })],
    ['with moments out of order', entry(17, { first_scheduled_time: 100.4 })],
    ['of a wait longer than ours', entry(17, { arrival_time: 100.4 })],
    ['that is no object', 17],
    ['with an odd number', entry({ id: 17 })],
  ])('%s', async (_, item) => {
    list = [item, entry(1)];
    source.onEnded(exchange('chatcmpl-1'));
    await poll('the list', () => (source.evidenceFor(exchange('chatcmpl-1')).length > 0 ? true : undefined));
    expect(source.evidenceFor(exchange('chatcmpl-17'))).toEqual([]);
  });
});

test('entries that nobody asks for are forgotten after a while', async () => {
  list = [entry(1)];
  await settled(exchange('chatcmpl-1'));
  const { hrtime } = process;
  vi.spyOn(process, 'hrtime').mockImplementation(() => {
    const [whole, nanoseconds] = hrtime.call(process);
    return [whole + 31, nanoseconds];
  });
  list = [entry(2)];
  await settled(exchange('chatcmpl-2'));
  expect([source.evidenceFor(exchange('chatcmpl-1')), source.evidenceFor(exchange('chatcmpl-2'))]).toEqual([
    [],
    [EVIDENCE],
  ]);
});

test.each([
  ['{"not": "a list"}', 'no_metrics'],
  ['[{]', 'no_metrics'],
  ['['.padEnd(3_000_000, ' '), 'too_large'],
])('a list that cannot be read ends the wait and is told of once', async (body, fault) => {
  server.answers['/perf_metrics'] = body;
  expect(await settled(exchange('chatcmpl-17'))).toEqual([]);
  expect(log.lines.map(({ fields }) => fields['fault'])).toEqual([fault]);
  expect([...(source.faultCounts('default') ?? [])]).toEqual([[fault, 1]]);
});
