// Goal: a counter's growth becomes an exchange's length only where it can be of no other request.
// Method: polls and exchanges at written moments (ms on one clock), against a history that is a value.
import { beforeEach, describe, expect, test } from 'vitest';
import { nowNs } from '../../../../src/base/clock.ts';
import { IsolatedCounters, type PollHistory } from '../../../../src/observe/engine-metrics/isolated-counters.ts';
import { MetricsScanner } from '../../../../src/observe/engine-metrics/prometheus-text.ts';
import { ENGINE_METRIC_NAMES, readEngine } from '../../../../src/observe/engine-metrics/reading.ts';
import type { Poll } from '../../../../src/observe/engine-metrics/window.ts';
import type { EndedExchange } from '../../../../src/observe/late-evidence.ts';
import { endedExchange } from '../../../support/ended-exchange.ts';
import { LLAMA_CPP_PAGE, SGLANG_PAGE, TGI_PAGE, vllmPage, type VllmNumbers } from './pages.ts';

/** All moments of a test are ms before the end of the exchange, which has just ended. */
let endedAtNs: number;
let history: PollHistory & { polls: Poll[]; failedAskedAtNs: number | undefined; askedIn: number[] };
let open: string[];
let source: IsolatedCounters;

beforeEach(() => {
  endedAtNs = nowNs();
  open = [];
  history = {
    polls: [],
    failedAskedAtNs: undefined,
    askedIn: [],
    askSoon(delayMs) {
      this.askedIn.push(delayMs);
    },
  };
  source = new IsolatedCounters({
    targets: new Map([
      ['chat', history],
      ['also', history],
    ]),
    openRoutes: () => open,
  });
});

function at(ms: number): number {
  return endedAtNs + ms * 1e6;
}

function poll(answeredMs: number, page: string): void {
  const scanner = new MetricsScanner(ENGINE_METRIC_NAMES);
  scanner.feed(page);
  const reading = readEngine(scanner.end().samples);
  if (reading === undefined) throw new Error('the page is of no engine');
  history.polls.push({ askedAtNs: at(answeredMs - 2), answeredAtNs: at(answeredMs), reading });
}

/** Opened 900 ms before its end, first token 500 ms before it, last one at it. */
function exchange(
  changes: Partial<EndedExchange> = {},
  subject: Partial<EndedExchange['subject']> = {},
): EndedExchange {
  return endedExchange({
    route: 'chat',
    openedAtNs: at(-900),
    endedAtNs,
    ...changes,
    subject: {
      engine: { name: 'vllm', by: 'metrics' },
      requestSentAtNs: 1e6,
      firstTokenAtNs: 400e6,
      lastTokenAtNs: 900e6,
      ...subject,
    },
  });
}

/** vLLM's page before, and after one request of 100 ms of queue, 250 ms of prefill, 895 ms in all. */
const BEFORE: VllmNumbers = { queue: [3, 10], prefill: [5, 10], whole: [90, 10] };
const AFTER: VllmNumbers = { queue: [3.1, 11], prefill: [5.25, 11], whole: [90.895, 11] };
const EVIDENCE = {
  source: 'isolated-counters',
  basis: 'exact',
  definition: 'queued → scheduled → first token, as the scheduler saw them',
  queueNs: 100_000_000,
  prefillNs: 250_000_000,
};

function judge(ended = exchange(), pages: { before?: VllmNumbers; after?: VllmNumbers; afterMs?: number } = {}) {
  if (history.polls.length === 0) poll(-4_000, vllmPage(pages.before ?? BEFORE));
  source.onEnded(ended);
  poll(pages.afterMs ?? 102, vllmPage(pages.after ?? AFTER));
  return source.evidenceFor(ended);
}

describe('one observation between two polls', () => {
  test('is the length of the exchange that lies between them', () => {
    expect(judge()).toEqual([EVIDENCE]);
    expect(history.askedIn).toEqual([100]);
  });

  test('is awaited until the poll after the end has come', () => {
    poll(-4_000, vllmPage(BEFORE));
    const ended = exchange();
    source.onEnded(ended);
    expect([source.evidenceFor(ended), source.awaits(ended)]).toEqual([[], true]);
    poll(102, vllmPage(AFTER));
    expect([source.evidenceFor(ended), source.awaits(ended)]).toEqual([[EVIDENCE], false]);
  });

  test('is looked for again when the engine keeps its books late', () => {
    expect(judge(exchange(), { after: BEFORE })).toEqual([]);
    expect(source.awaits(exchange())).toBe(true);
    poll(700, vllmPage(AFTER));
    expect(source.evidenceFor(exchange())).toEqual([EVIDENCE]);
  });

  test('may have other polls in between, if they came before the answer was over', () => {
    poll(-6_000, vllmPage(BEFORE));
    poll(-3_000, vllmPage(BEFORE));
    poll(-600, vllmPage(BEFORE));
    expect(judge()).toEqual([EVIDENCE]);
  });

  test('gives the part that the engine has', () => {
    const old = { before: { ...BEFORE, prefill: [5, 10] }, after: { ...AFTER, prefill: [5, 11] } } as const;
    expect(judge(exchange(), old)).toEqual([
      { source: 'isolated-counters', basis: 'exact', definition: EVIDENCE.definition, queueNs: 100_000_000 },
    ]);
  });
});

describe('nothing is said', () => {
  test.each<[string, VllmNumbers]>([
    ['a second request of anybody was counted', { ...AFTER, queue: [3.1, 12], prefill: [5.25, 12], whole: [91, 12] }],
    ['a length is exactly 0, which engines book for one they have not', { ...AFTER, queue: [3, 11], prefill: [5, 11] }],
    ['the length is more than we waited', { ...AFTER, queue: [3.2, 11] }],
    ['the request was longer than ours', { ...AFTER, whole: [91, 11] }],
    ['the request was shorter than ours', { ...AFTER, whole: [90.4, 11] }],
    ['another request was counted as a whole', { ...AFTER, whole: [90.895, 12] }],
    ['the process is another one', { ...AFTER, startedEpochS: 1.8e9 }],
    ['a counter shrank', { ...AFTER, queue: [3.1, 9], prefill: [5.25, 9] }],
  ])('when %s', (_, after) => {
    expect(judge(exchange(), { after })).toEqual([]);
    expect(source.awaits(exchange())).toBe(false);
  });

  test('when no poll came before the first token', () => {
    poll(-450, vllmPage(BEFORE));
    expect(judge()).toEqual([]);
  });

  test('of an answer in one piece, when no poll came before its request', () => {
    const atOnce = exchange({}, { firstTokenAtNs: 899e6, lastTokenAtNs: 899e6 });
    poll(-600, vllmPage(BEFORE));
    expect(judge(atOnce)).toEqual([]);
  });

  test('by a poll that was asked before the engine must have booked the end', () => {
    expect(judge(exchange(), { afterMs: 40 })).toEqual([]);
    expect(source.awaits(exchange())).toBe(true);
  });

  test.each<[string, Partial<EndedExchange>]>([
    ['ended between the polls', { openedAtNs: -3_000, endedAtNs: -1_000 }],
    ['ended just before the first poll', { openedAtNs: -6_000, endedAtNs: -4_030 }],
    [
      'was cut short between the polls, on another route to this engine',
      { route: 'also', ok: false, endedAtNs: -2_000 },
    ],
  ])('when another exchange of ours %s', (_, { openedAtNs = -3_000, endedAtNs: otherMs = 0, ...other }) => {
    poll(-4_000, vllmPage(BEFORE));
    source.onEnded(exchange({ ...other, id: 'y', openedAtNs: at(openedAtNs), endedAtNs: at(otherMs) }));
    expect(judge()).toEqual([]);
  });

  test('when the poll after the end fails', () => {
    poll(-4_000, vllmPage(BEFORE));
    source.onEnded(exchange());
    history.failedAskedAtNs = at(100);
    expect([source.evidenceFor(exchange()), source.awaits(exchange())]).toEqual([[], false]);
  });

  test('when the engine has booked nothing for a long time', () => {
    const ended = exchange({ openedAtNs: at(-3_000), endedAtNs: at(-2_000) });
    poll(-4_000, vllmPage(BEFORE));
    source.onEnded(ended);
    poll(-1_800, vllmPage(BEFORE));
    expect([source.evidenceFor(ended), source.awaits(ended)]).toEqual([[], false]);
  });
});

describe('no poll is asked for', () => {
  test.each<[string, Partial<EndedExchange>, Partial<EndedExchange['subject']>]>([
    ['did not end well', { ok: false }, {}],
    ['did not stream', {}, { streamed: false }],
    ['had several choices', {}, { choiceCount: 2 }],
    ['is of a route without metrics', { route: 'other' }, {}],
  ])('by an exchange that %s', (_, changes, subject) => {
    poll(-4_000, vllmPage(BEFORE));
    source.onEnded(exchange(changes, subject));
    expect([history.askedIn, source.awaits(exchange(changes, subject))]).toEqual([[], false]);
  });

  test('by an exchange without a first token', () => {
    poll(-4_000, vllmPage(BEFORE));
    const { firstTokenAtNs: _, ...subject } = exchange().subject;
    source.onEnded({ ...exchange(), subject });
    expect(history.askedIn).toEqual([]);
  });

  test('while another one is open at the same engine; one elsewhere does not matter', () => {
    poll(-4_000, vllmPage(BEFORE));
    open = ['also'];
    source.onEnded(exchange());
    expect(history.askedIn).toEqual([]);
    open = ['elsewhere'];
    source.onEnded(exchange());
    expect(history.askedIn).toEqual([100]);
  });

  test('of an engine whose counters are of no single request', () => {
    poll(-4_000, LLAMA_CPP_PAGE);
    source.onEnded(exchange());
    expect(history.askedIn).toEqual([]);
  });
});

describe('engines that observe before the answer is over', () => {
  test('SGLang at forward entry: a poll in the middle of the answer will do', () => {
    const sglang = (sum: number, count: number) =>
      SGLANG_PAGE.replace(
        'queue_time_seconds_sum{model_name="glm"} 0.5',
        `queue_time_seconds_sum{model_name="glm"} ${sum}`,
      ).replace('queue_time_seconds_count{model_name="glm"} 10', `queue_time_seconds_count{model_name="glm"} ${count}`);
    poll(-1_000, sglang(0.5, 10));
    poll(-440, sglang(0.625, 11));
    poll(-200, sglang(1.625, 12));
    source.onEnded(exchange());
    expect(source.evidenceFor(exchange())).toEqual([
      { source: 'isolated-counters', basis: 'exact', definition: 'queued → forward entry', queueNs: 125_000_000 },
    ]);
  });

  test('TGI: the queue at the end, the prefill of a batch of one before', () => {
    const after = TGI_PAGE.replace('queue_duration_sum 0.75', 'queue_duration_sum 0.8')
      .replace('queue_duration_count 5', 'queue_duration_count 6')
      .replace('request_duration_sum 9', 'request_duration_sum 9.9')
      .replace('request_duration_count 5', 'request_duration_count 6')
      .replace('sum{method="prefill"} 1.5', 'sum{method="prefill"} 1.625')
      .replace('count{method="prefill"} 5', 'count{method="prefill"} 6');
    poll(-1_000, TGI_PAGE);
    source.onEnded(exchange());
    poll(102, after);
    expect(source.evidenceFor(exchange())).toMatchObject([{ queueNs: 50_000_000, prefillNs: 125_000_000 }]);
  });
});
