// Goal: sights are found by each of their ids and by a long text, and take a bounded place. Method: sights in few words.
import { expect, test } from 'vitest';
import { SIGHTS_PER_ID_MAX_COUNT } from '../../../../src/base/pairing-limits.ts';
import { KeyIndex } from '../../../../src/observe/pairing/key-index.ts';
import { PairBook } from '../../../../src/observe/pairing/pair-book.ts';
import { keyOf, keysFor, keysOf } from '../../../../src/observe/pairing/pair-keys.ts';
import { bytesOf, openingIds } from '../../../../src/observe/pairing/sight.ts';
import { every, prose, sight } from './sights.ts';

const lanes = [{ text: prose(1, 100), atMs: every(0, 1, 10) }];
const IDS = { traceId: 't', requestId: 'q', responseId: 'a' };

test('a sight is found by every key it has', () => {
  const book = new PairBook();
  const one = sight({ id: 'i', ids: IDS, lanes });
  book.add(one);
  expect(keysOf(one)).toHaveLength(5);
  for (const key of keysOf(one)) expect(book.find([key]).map(({ id }) => id)).toEqual(['i']);
  expect(book.find(keysOf(one))).toHaveLength(1);
  expect(book.find([keyOf('trace', 'q')])).toEqual([]);
});

test('a text of less than a hash step is no key', () => {
  expect(keysFor('content', sight({ id: 'i', lanes: [{ text: prose(1, 63), atMs: [1] }] }))).toEqual([]);
});

test('what is taken is found by nobody but one who asks for all', () => {
  const book = new PairBook();
  book.add(sight({ id: 'i', ids: IDS }));
  book.take('i');
  expect(book.find([keyOf('trace', 't')])).toEqual([]);
  expect(book.look([keyOf('trace', 't')])).toHaveLength(1);
});

test('an open one is found by the ids of its request, as it is at that time', () => {
  const book = new PairBook();
  let eventCount = 1;
  book.open({ id: 'i', look: () => sight({ id: 'i', ids: IDS, endedMs: null, facts: { eventCount } }) }, IDS);
  eventCount = 7;
  expect(book.find([keyOf('request', 'q')])[0]?.facts.eventCount).toBe(7);
  book.add(sight({ id: 'i', ids: IDS }));
  expect(book.find([keyOf('request', 'q')])[0]?.endedAtNs).toBeDefined();
  book.open({ id: 'j', look: () => sight({ id: 'j' }) }, IDS);
  book.close('j');
  expect(book.find([keyOf('request', 'q')]).map(({ id }) => id)).toEqual(['i']);
});

test('the oldest make room, by count and by bytes, and leave no key behind', () => {
  const byCount = new PairBook({ maxCount: 2, maxBytes: 1e9 });
  for (const id of ['1', '2', '3']) byCount.add(sight({ id, ids: { requestId: id }, lanes }));
  expect(['1', '2', '3'].map((id) => byCount.find([keyOf('request', id)]).length)).toEqual([0, 1, 1]);
  const bytes = bytesOf(sight({ id: 'x', lanes }));
  const byBytes = new PairBook({ maxCount: 100, maxBytes: 2.5 * bytes });
  for (const id of ['1', '2', '3']) byBytes.add(sight({ id, ids: { requestId: id }, lanes }));
  expect(['1', '2', '3'].map((id) => byBytes.find([keyOf('request', id)]).length)).toEqual([0, 1, 1]);
  // The text is that of all three; it leads to those that are left.
  expect(byBytes.find(keysFor('content', sight({ id: 'x', lanes })))).toHaveLength(2);
});

test('an id that everybody sends is looked at to a bound', () => {
  const book = new PairBook();
  for (let n = 0; n < SIGHTS_PER_ID_MAX_COUNT + 5; n += 1) book.add(sight({ id: `i${n}`, ids: { requestId: 'same' } }));
  expect(book.find([keyOf('request', 'same')])).toHaveLength(SIGHTS_PER_ID_MAX_COUNT);
});

test('an index forgets what was taken out of it', () => {
  const index = new KeyIndex();
  for (const name of ['a', 'b']) index.add('k', name);
  index.remove('k', 'a');
  index.remove('k', 'c');
  expect(index.get('k')).toEqual(['b']);
  index.remove('k', 'b');
  expect(index.get('k')).toEqual([]);
});

test('ids of a request: our own spans where we take part in the trace, else those that pass through', () => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const fields = ['X-Request-Id', 'r', 'traceparent', `00-${traceId}-${spanId}-01`];
  expect(openingIds(fields, undefined)).toEqual({ traceId, parentSpanId: spanId, sentSpanId: spanId, requestId: 'r' });
  const trace = { traceId, parentSpanId: spanId, clientSpanId: '00f067aa0ba902b7' };
  expect(openingIds(fields, trace)).toMatchObject({ parentSpanId: spanId, sentSpanId: '00f067aa0ba902b7' });
  expect(openingIds(['traceparent', 'nonsense', 'x-request-id', ''], undefined)).toEqual({});
});
