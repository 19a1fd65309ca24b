// Goal: spans are found by parent and by request id while they are kept, never twice, and what is kept
// stays within number, bytes and age, oldest out first. Method: small stores, moments as plain numbers.
import { describe, expect, test } from 'vitest';
import { SpanStore, type StoredSpan } from '../../../../src/observe/otlp/span-store.ts';
import { engineSpan, id, TRACE } from './spans.ts';

const S = 1e9;

function idsOf(found: Iterable<StoredSpan>): string[] {
  return [...found].map(({ span }) => span.spanId);
}

const child = (letter: string, attributes = {}) =>
  engineSpan({ spanId: id(letter), parentSpanId: id('c'), attributes });

test('a span that comes twice is one span', () => {
  const store = new SpanStore();
  store.add(child('1'), 0);
  store.add(child('1'), 0);
  expect([store.count, idsOf(store.childrenOf(TRACE, id('c')))]).toEqual([1, [id('1')]]);
});

test('the same span id in another trace is another span', () => {
  const store = new SpanStore();
  store.add(child('1'), 0);
  store.add({ ...child('1'), traceId: 'b'.repeat(32) }, 0);
  expect([store.count, idsOf(store.childrenOf(TRACE, id('c')))]).toEqual([2, [id('1')]]);
});

test.each([
  ['chatcmpl-x', 'chatcmpl-x', true],
  ['chatcmpl-x-0a1b2c3d', 'chatcmpl-x', true],
  ['cmpl-x-0', 'cmpl-x', true],
  ['cmpl-x-0-0a1b2c3d', 'cmpl-x', true],
  ['cmpl-x-1', 'cmpl-x', false],
  ['chatcmpl-x-0', 'chatcmpl-x', false],
  ['chatcmpl-x-0A1B2C3D', 'chatcmpl-x', false],
  ['chatcmpl-x', 'chatcmpl', false],
])('a span about %s is found by %s: %s', (requestId, asked, found) => {
  const store = new SpanStore();
  store.add(child('1', { 'gen_ai.request.id': requestId }), 0);
  expect(store.withRequestId(asked).length).toBe(found ? 1 : 0);
});

describe('what is kept', () => {
  test('is bounded in number, the oldest goes', () => {
    const store = new SpanStore({ maxCount: 2 });
    for (const letter of ['1', '2', '3']) store.add(child(letter, { rid: letter }), 0);
    expect(idsOf(store.childrenOf(TRACE, id('c')))).toEqual([id('2'), id('3')]);
    expect([store.withRequestId('1'), store.unclaimedCount]).toEqual([[], 1]);
  });

  test('is bounded in age, looked at with each span that comes', () => {
    const store = new SpanStore({ maxAgeMs: 1_000 });
    store.add(child('1'), 0);
    store.add(child('2'), 1 * S);
    expect(store.count).toBe(2);
    store.add(child('3'), 2 * S);
    expect(idsOf(store.childrenOf(TRACE, id('c')))).toEqual([id('2'), id('3')]);
  });

  test('is bounded in bytes, by what spans carry', () => {
    const store = new SpanStore({ maxBytes: 10_000 });
    for (let i = 0; i < 500; i += 1) {
      const spanId = i.toString(16).padStart(16, '0');
      store.add(engineSpan({ spanId, name: 'n'.repeat(200), attributes: { rid: 'r'.repeat(200) } }), 0);
      expect(store.bytes).toBeLessThanOrEqual(10_000);
    }
    expect(store.count).toBeGreaterThan(2);
    expect(store.unclaimedCount).toBe(500 - store.count);
  });

  test('leaves nothing behind after thousands have come and gone', () => {
    const store = new SpanStore({ maxCount: 1 });
    for (let i = 0; i < 5_000; i += 1) {
      store.add(engineSpan({ spanId: i.toString(16).padStart(16, '0'), attributes: { rid: `r${i}` } }), i);
    }
    expect([store.count, store.withRequestId('r4998').length, store.withRequestId('r4999').length]).toEqual([1, 0, 1]);
  });

  test('counts as claimed when an exchange has had it', () => {
    const store = new SpanStore({ maxCount: 1 });
    store.add(child('1'), 0);
    for (const stored of store.childrenOf(TRACE, id('c'))) stored.owner = '0.0-1';
    store.add(child('2'), 0);
    expect(store.unclaimedCount).toBe(0);
  });
});

test('of many spans with one request id, or below one span, a bounded number is found; the rest is no burden', () => {
  const store = new SpanStore();
  for (let nth = 0; nth < 3_000; nth += 1) {
    store.add({ ...child('1', { 'gen_ai.request.id': 'chatcmpl-x' }), spanId: nth.toString(16).padStart(16, '0') }, 0);
  }
  expect(store.count).toBe(3_000);
  expect(store.withRequestId('chatcmpl-x')).toHaveLength(64);
  expect([...store.childrenOf(TRACE, id('c'))]).toHaveLength(1_024);
  // They go like all others, and make room again.
  store.add(child('2'), 11 * 60 * S);
  expect([store.count, store.withRequestId('chatcmpl-x'), store.unclaimedCount]).toEqual([1, [], 3_000]);
  expect(idsOf(store.childrenOf(TRACE, id('c')))).toEqual([id('2')]);
});
