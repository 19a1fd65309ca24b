// Goal: a span counts for the exchange it is about and for no other; where that is not sure, for none.
// Reports wait for spans only where spans are to be expected. Method: spans and ended exchanges by hand,
// told to the source in every order that matters.
import { beforeEach, describe, expect, test } from 'vitest';
import { OTLP_PROBE_EVERY_COUNT, OTLP_SILENT_MAX_COUNT } from '../../../../src/base/otlp-limits.ts';
import type { EngineSpan } from '../../../../src/evidence/engine-span.ts';
import type { EndedExchange } from '../../../../src/observe/late-evidence.ts';
import { SpanSource } from '../../../../src/observe/otlp/span-source.ts';
import { SpanStore } from '../../../../src/observe/otlp/span-store.ts';
import type { EngineName } from '../../../../src/record/engines.ts';
import { ended, engineSpan, id, TIMES } from './spans.ts';

const OTHER_TRACE = 'b'.repeat(32);

let store = new SpanStore();
let lateMs: number[] = [];
let source = newSource();
beforeEach(() => {
  store = new SpanStore();
  lateMs = [];
  source = newSource();
});

function newSource(): SpanSource {
  return new SpanSource({ store, waitMs: 2_000, onLate: (afterMs) => lateMs.push(afterMs) });
}

function come(...spans: readonly Partial<EngineSpan>[]): void {
  for (const [index, parts] of spans.entries()) {
    store.add(engineSpan({ spanId: (index + 1).toString(16).padStart(16, '0'), ...parts }), 0);
  }
}

function end(parts: Partial<EndedExchange> = {}): EndedExchange {
  const exchange = ended(parts);
  source.onEnded(exchange);
  return exchange;
}

/** Its queue in ms; undefined without evidence. */
function queueOf(exchange: EndedExchange): number | undefined {
  const [evidence, ...more] = source.evidenceFor(exchange);
  expect(more).toEqual([]);
  return evidence?.queueNs === undefined ? undefined : evidence.queueNs / 1e6;
}

const times = (queueMs: number, more: EngineSpan['attributes'] = {}): EngineSpan['attributes'] => ({
  ...TIMES,
  'gen_ai.latency.time_in_queue': queueMs / 1e3,
  ...more,
});

describe('below our CLIENT span', () => {
  test('a span joins, whether it came before the end or after it', () => {
    come({ parentSpanId: id('c'), attributes: times(1) });
    const before = end();
    expect(queueOf(before)).toBe(1);
    const after = end({ id: '0.0-2', clientSpanId: id('d') });
    expect(queueOf(after)).toBeUndefined();
    come({ spanId: id('e'), parentSpanId: id('d'), attributes: times(2) });
    expect([queueOf(after), queueOf(before)]).toEqual([2, 1]);
  });

  test('also further below, once the spans between have come', () => {
    const exchange = end();
    come({ spanId: id('3'), parentSpanId: id('2'), attributes: times(3) });
    expect(queueOf(exchange)).toBeUndefined();
    come({ spanId: id('2'), parentSpanId: id('1') }, { spanId: id('1'), parentSpanId: id('c') });
    expect(queueOf(exchange)).toBe(3);
  });

  test('the trace alone joins nothing: an agent makes many calls in one', () => {
    come({ parentSpanId: id('f'), attributes: times(1) }, { attributes: times(2) });
    expect(queueOf(end())).toBeUndefined();
    expect(source.counts).toEqual({ told: 0, silent: 0, ambiguous: 0, late: 0 });
  });

  test('the same parent in another trace is another parent', () => {
    come({ traceId: OTHER_TRACE, parentSpanId: id('c'), attributes: times(1) });
    expect(queueOf(end())).toBeUndefined();
  });

  test('spans in a ring end the search', () => {
    come({ spanId: id('1'), parentSpanId: id('c') }, { spanId: id('2'), parentSpanId: id('1') });
    come({ spanId: id('c'), parentSpanId: id('2'), attributes: times(4) });
    expect(queueOf(end())).toBe(4);
  });
});

describe('by the request id', () => {
  const request = (requestId: string | number, more: Partial<EngineSpan> = {}): Partial<EngineSpan> => ({
    traceId: OTHER_TRACE,
    attributes: times(5, { 'gen_ai.request.id': requestId }),
    ...more,
  });

  test('a span joins that is in no trace of ours', () => {
    come(request('chatcmpl-x'));
    expect(queueOf(end({ responseId: 'chatcmpl-x' }))).toBe(5);
    expect(queueOf(end({ id: '0.0-2', responseId: 'chatcmpl-y' }))).toBeUndefined();
  });

  test('with what hangs below it', () => {
    const forward = { traceId: OTHER_TRACE, name: 'prefill_forward', startEpochNs: 10n, endEpochNs: 40n };
    come({ traceId: OTHER_TRACE, spanId: id('1'), attributes: { rid: 'r1' } });
    come({ ...forward, spanId: id('2'), parentSpanId: id('1') });
    const [evidence] = source.evidenceFor(end({ responseId: 'r1' }));
    expect(evidence?.prefillNs).toBe(30);
  });

  test('a random tail of the engine does not hide it', () => {
    come(request('chatcmpl-x-0a1b2c3d'));
    expect(queueOf(end({ responseId: 'chatcmpl-x' }))).toBe(5);
  });

  test('an id that only looks like a variant, and is the id of another answer, is not taken', () => {
    come(request('chatcmpl-job-0a1b2c3d'));
    end({ id: '0.0-2', clientSpanId: id('d'), responseId: 'chatcmpl-job-0a1b2c3d' });
    expect(queueOf(end({ responseId: 'chatcmpl-job' }))).toBeUndefined();
  });

  test('two spans of one id are told apart by nothing', () => {
    come(request('chatcmpl-x'), request('chatcmpl-x'));
    expect(queueOf(end({ responseId: 'chatcmpl-x' }))).toBeUndefined();
    expect(source.counts.ambiguous).toBe(1);
  });

  test('two exchanges of one id get none of it, unless a parent says whose it is', () => {
    const first = end({ responseId: 'chatcmpl-x' });
    const second = end({ id: '0.0-2', clientSpanId: id('d'), responseId: 'chatcmpl-x' });
    come(request('chatcmpl-x'));
    expect([queueOf(first), queueOf(second)]).toEqual([undefined, undefined]);
    come({ spanId: id('e'), parentSpanId: id('d'), attributes: times(7) });
    expect([queueOf(first), queueOf(second)]).toEqual([undefined, 7]);
  });

  test('a span made below the CLIENT span of another exchange is never taken', () => {
    const other = end({ id: '0.0-2', clientSpanId: id('d'), responseId: undefined });
    come(request('chatcmpl-x', { traceId: other.traceId ?? '', parentSpanId: id('d') }));
    expect(queueOf(end({ responseId: 'chatcmpl-x' }))).toBeUndefined();
    expect(queueOf(other)).toBe(5);
  });

  test('a span that an exchange has got goes to no other', () => {
    come(request('chatcmpl-x'));
    expect(queueOf(end({ responseId: 'chatcmpl-x' }))).toBe(5);
    const later = end({ id: '0.0-2', clientSpanId: id('d'), responseId: 'chatcmpl-x' });
    expect(queueOf(later)).toBeUndefined();
  });

  test('a bare number counts within our own trace only: every server starts at the same one', () => {
    come(request('17'));
    expect(queueOf(end({ responseId: 'chatcmpl-17' }))).toBeUndefined();
    come({ spanId: id('2'), parentSpanId: id('f'), attributes: times(8, { 'gen_ai.request.id': 17 }) });
    expect(queueOf(end({ responseId: 'chatcmpl-17', id: '0.0-2', clientSpanId: id('d') }))).toBeUndefined();
  });

  test('a bare number in our own trace joins', () => {
    come({ parentSpanId: id('f'), attributes: times(8, { 'gen_ai.request.id': '17' }) });
    expect(queueOf(end({ responseId: 'chatcmpl-17' }))).toBe(8);
  });
});

test('how it went is counted once an exchange, and never counts back', () => {
  const exchange = end();
  come({ spanId: id('1'), parentSpanId: id('c') });
  source.evidenceFor(exchange);
  source.evidenceFor(exchange);
  expect(source.counts).toEqual({ told: 0, silent: 1, ambiguous: 0, late: 0 });
  come({ spanId: id('2'), parentSpanId: id('1'), attributes: times(1) });
  source.evidenceFor(exchange);
  source.evidenceFor(exchange);
  expect(source.counts).toEqual({ told: 1, silent: 1, ambiguous: 0, late: 0 });
});

test('a span that comes when nobody waits any more is told and counted', () => {
  const S = 1e9;
  end({ endedAtNs: 10 * S });
  const below = (letter: string) => engineSpan({ spanId: id(letter), parentSpanId: id('c') });
  source.take(below('1'), 9 * S);
  source.take(below('2'), 12 * S);
  source.take(engineSpan({ spanId: id('3'), parentSpanId: id('f') }), 20 * S);
  source.take(engineSpan({ spanId: id('4') }), 20 * S);
  expect([lateMs, source.counts.late]).toEqual([[], 0]);
  source.take(below('5'), 15 * S);
  expect([lateMs, source.counts.late, store.count]).toEqual([[5_000], 1, 5]);
});

describe('the wait', () => {
  let madeCount = 0;

  /** How many of the next exchanges, none of which gets a span, are waited for. */
  function awaitedOf(count: number, parts: Partial<EndedExchange> = {}): number {
    let awaited = 0;
    for (let i = 0; i < count; i += 1) {
      madeCount += 1;
      const exchange = end({ id: `0.1-${madeCount}`, clientSpanId: id('d'), ...parts });
      if (source.awaits(exchange)) awaited += 1;
    }
    return awaited;
  }

  test('ends after so many without a span, but for a probe now and then', () => {
    expect(awaitedOf(OTLP_SILENT_MAX_COUNT)).toBe(OTLP_SILENT_MAX_COUNT);
    expect(awaitedOf(10 * OTLP_PROBE_EVERY_COUNT)).toBe(10);
  });

  test('begins again with the first span, and is a matter of each route', () => {
    awaitedOf(OTLP_SILENT_MAX_COUNT + 1);
    expect(awaitedOf(5, { route: 'other' })).toBe(5);
    const late = end({ id: '0.2-1' });
    come({ parentSpanId: id('c'), attributes: times(1) });
    expect(queueOf(late)).toBe(1);
    expect(awaitedOf(OTLP_SILENT_MAX_COUNT)).toBe(OTLP_SILENT_MAX_COUNT);
  });

  test('spans that state nothing are not worth it', () => {
    for (let i = 0; i <= OTLP_SILENT_MAX_COUNT; i += 1) {
      const parent = (1_000 + i).toString(16).padStart(16, '0');
      come({ spanId: (2_000 + i).toString(16).padStart(16, '0'), parentSpanId: parent, name: 'InferRequest' });
      source.evidenceFor(end({ id: `0.3-${i}`, clientSpanId: parent }));
    }
    expect(source.counts.silent).toBe(OTLP_SILENT_MAX_COUNT + 1);
    expect(awaitedOf(1)).toBe(0);
  });

  const { firstTokenAtNs: _, ...tokenless } = ended().subject;
  const engine = (name: EngineName) => ({ ...ended().subject, engine: { name, by: 'body' as const } });
  test.each<[string, Partial<EndedExchange>, boolean]>([
    ['vLLM', { subject: engine('vllm') }, true],
    ['an engine that makes no spans', { subject: engine('llama.cpp') }, false],
    ['an API of somebody else', { subject: engine('openai') }, false],
    ['a trace that is not sampled', { traceSampled: false }, false],
    ['an answer without a token', { subject: tokenless }, false],
    ['several choices', { subject: { ...ended().subject, choiceCount: 2 } }, false],
    ['no id at all', { traceId: undefined, clientSpanId: undefined }, false],
    ['an answer id only', { traceId: undefined, clientSpanId: undefined, responseId: 'x' }, true],
  ])('%s: %j', (_name, parts, awaited) => {
    expect(source.awaits(end(parts))).toBe(awaited);
  });
});

test('what is remembered of ended exchanges is bounded', () => {
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 60_000; i += 1) end({ id: `x${i}`, clientSpanId: `${i}`, responseId: `r${i % 40_000}` });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  come({ traceId: OTHER_TRACE, attributes: times(1, { 'gen_ai.request.id': 'new' }) });
  expect(queueOf(end({ responseId: 'new' }))).toBe(1);
});
