// Goal: of all inner exchanges the one that was seen before the hop is found, by any id that survives or by a long
// text alone, and none whenever another could be it. Method: sights in few words; each rule with its near miss.
import { describe, expect, test } from 'vitest';
import { chosen, innerOf, outerOf, told, TRACE } from './choosing.ts';
import { every, prose, sight } from './sights.ts';

const TEXT = prose(1, 200);
const OTHER = prose(2, 200);

describe('by id', () => {
  test.each([
    ['trace', TRACE],
    ['request', { requestId: 'r1' }],
    ['response', { responseId: 'a1' }],
  ] as const)('the %s id finds it, and the text confirms it', (basis, ids) => {
    expect(told(chosen(outerOf(TEXT, { ids }), { inner: [innerOf('i', TEXT, { ids })] }))).toBe(`i by ${basis}`);
  });

  test('the first id that survived counts', () => {
    const ids = { traceId: 't1', requestId: 'r1', responseId: 'a1' };
    const inner = innerOf('i', TEXT, { ids: { traceId: 't2', requestId: 'r1', responseId: 'a1' } });
    expect(told(chosen(outerOf(TEXT, { ids }), { inner: [inner] }))).toBe('i by request');
  });

  test('an id that agrees while the texts do not is no pair', () => {
    expect(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [innerOf('i', OTHER, { ids: TRACE })] })).toBe('content');
  });

  test('without text on one side the id has to do, and it says so', () => {
    const outer = outerOf('', { ids: TRACE, facts: { status: 502 }, more: { outcome: 'error_http' } });
    expect(told(chosen(outer, { inner: [innerOf('i', TEXT, { ids: TRACE })] }))).toBe('i by trace?');
  });
});

describe('in time', () => {
  test('an answer out of a cache has the response id of an exchange long over', () => {
    const old = innerOf('i', TEXT, { ids: { responseId: 'a1' }, openedMs: -5_000, endedMs: -4_000 });
    expect(chosen(outerOf(TEXT, { ids: { responseId: 'a1' } }), { inner: [old] })).toBe('outside');
  });

  test('nothing that opened after the first text had come out can be its cause', () => {
    const late = innerOf('i', TEXT, { ids: TRACE, openedMs: 150, lanes: [{ text: TEXT, atMs: every(160, 10, 14) }] });
    expect(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [late] })).toBe('outside');
  });

  test('text does not come out before it went in', () => {
    const late = innerOf('i', TEXT, { ids: TRACE, lanes: [{ text: TEXT, atMs: every(110, 10, 20) }] });
    expect(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [late] })).toBe('content');
  });

  test('stamps of two threads may be apart by a turn of their loops', () => {
    const inner = innerOf('i', TEXT, { ids: TRACE, lanes: [{ text: TEXT, atMs: every(101, 10, 20) }] });
    expect(told(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [inner] }))).toBe('i by trace');
  });
});

describe('several exchanges of one trace', () => {
  const ids = { traceId: 't1', sentSpanId: 's1' };

  test('are told apart by their texts', () => {
    const inner = [innerOf('i1', OTHER, { ids: TRACE }), innerOf('i2', TEXT, { ids: TRACE })];
    expect(told(chosen(outerOf(TEXT, { ids }), { inner }))).toBe('i2 by trace');
  });

  test('with the same text are told apart by the span that asked', () => {
    const inner = [
      innerOf('i1', TEXT, { ids: { traceId: 't1', parentSpanId: 's2' } }),
      innerOf('i2', TEXT, { ids: { traceId: 't1', parentSpanId: 's1' } }),
    ];
    expect(told(chosen(outerOf(TEXT, { ids }), { inner }))).toBe('i2 by trace');
  });

  test('with the same text are told apart by a further id', () => {
    const inner = ['a1', 'a2'].map((responseId) => innerOf(responseId, TEXT, { ids: { traceId: 't1', responseId } }));
    const outer = outerOf(TEXT, { ids: { ...ids, responseId: 'a2' } });
    expect(told(chosen(outer, { inner }))).toBe('a2 by trace');
  });

  test('with the same text and no more to go by are nobody’s', () => {
    const inner = [innerOf('i1', TEXT, { ids: TRACE }), innerOf('i2', TEXT, { ids: TRACE })];
    expect(chosen(outerOf(TEXT, { ids }), { inner })).toBe('ambiguous');
  });

  test('a second outer one with the same text and one inner one: requests were collapsed', () => {
    const twin = outerOf(TEXT, { id: 'o2', ids: TRACE });
    const scene = { inner: [innerOf('i', TEXT, { ids: TRACE })], rivals: [twin] };
    expect(chosen(outerOf(TEXT, { ids }), scene)).toBe('ambiguous');
    expect(chosen(outerOf(TEXT, { ids }), { ...scene, isLast: false })).toBe('wait');
  });

  test('a second outer one with another text is no rival', () => {
    const rivals = [outerOf(OTHER, { id: 'o2', ids: TRACE })];
    expect(told(chosen(outerOf(TEXT, { ids }), { inner: [innerOf('i', TEXT, { ids: TRACE })], rivals }))).toBe(
      'i by trace',
    );
  });

  test('a short text may be another’s that is still open; a long one is not', () => {
    const rivals = [outerOf('', { id: 'o2', ids: TRACE, endedMs: null })];
    const short = { inner: [innerOf('i', 'yes', { ids: TRACE })], rivals };
    expect(chosen(outerOf('yes', { ids: TRACE }), short)).toBe('ambiguous');
    expect(told(chosen(outerOf('yes', { ids: TRACE }), { ...short, rivals: [] }))).toBe('i by trace');
    const long = { inner: [innerOf('i', TEXT, { ids: TRACE })], rivals };
    expect(told(chosen(outerOf(TEXT, { ids: TRACE }), long))).toBe('i by trace');
  });

  test('without text, an id that two outer ones have is nobody’s', () => {
    const outer = outerOf('', { ids: TRACE });
    const rivals = [outerOf('', { id: 'o2', ids: TRACE })];
    expect(chosen(outer, { inner: [innerOf('i', '', { ids: TRACE })], rivals })).toBe('ambiguous');
  });
});

describe('a gateway that tries again', () => {
  const failed = innerOf('i1', '', {
    ids: TRACE,
    endedMs: 20,
    facts: { status: 503 },
    more: { outcome: 'error_http' },
  });

  test('has its last try as the pair, and the others are counted', () => {
    const choice = chosen(outerOf(TEXT, { ids: TRACE }), {
      inner: [failed, innerOf('i2', TEXT, { ids: TRACE, openedMs: 30 })],
    });
    expect(told(choice)).toBe('i2 by trace');
    expect(typeof choice === 'string' ? [] : choice.failedTries.map(({ id }) => id)).toEqual(['i1']);
  });

  test('and gives up has its last failure as the pair', () => {
    const again = innerOf('i2', '', {
      ids: TRACE,
      openedMs: 30,
      endedMs: 40,
      facts: { status: 503 },
      more: { outcome: 'error_http' },
    });
    const outer = outerOf('', { ids: TRACE, facts: { status: 503 }, more: { outcome: 'error_http' } });
    const choice = chosen(outer, { inner: [failed, again] });
    expect(told(choice)).toBe('i2 by trace?');
    expect(typeof choice === 'string' ? [] : choice.failedTries.map(({ id }) => id)).toEqual(['i1']);
  });

  test('a question of its own that went well is no try', () => {
    const guard = innerOf('i1', OTHER, { ids: TRACE });
    const choice = chosen(outerOf(TEXT, { ids: TRACE }), { inner: [guard, innerOf('i2', TEXT, { ids: TRACE })] });
    expect(typeof choice === 'string' ? choice : choice.failedTries).toEqual([]);
  });
});

describe('by content alone', () => {
  test('a long text that nobody else has is enough, once nothing more can come', () => {
    const scene = { inner: [innerOf('i', TEXT)] };
    expect(told(chosen(outerOf(TEXT), scene))).toBe('i by content');
    expect(chosen(outerOf(TEXT), { ...scene, isLast: false })).toBe('wait');
  });

  test('63 characters are not, 64 are', () => {
    expect(chosen(outerOf(prose(3, 63)), { inner: [innerOf('i', prose(3, 63))] })).toBe('not_seen');
    expect(told(chosen(outerOf(prose(3, 64)), { inner: [innerOf('i', prose(3, 64))] }))).toBe('i by content');
  });

  test('two inner ones with the text, or two outer ones, are nobody’s', () => {
    expect(chosen(outerOf(TEXT), { inner: [innerOf('i1', TEXT), innerOf('i2', TEXT)] })).toBe('ambiguous');
    const rivals = [outerOf(TEXT, { id: 'o2' })];
    expect(chosen(outerOf(TEXT), { inner: [innerOf('i1', TEXT)], rivals })).toBe('ambiguous');
  });

  test('a rival whose time it does not fit into is none', () => {
    const rivals = [
      outerOf(TEXT, { id: 'o2', openedMs: 200, endedMs: 900, lanes: [{ text: TEXT, atMs: every(400, 10, 20) }] }),
    ];
    expect(told(chosen(outerOf(TEXT), { inner: [innerOf('i1', TEXT)], rivals }))).toBe('i1 by content');
  });
});

describe('two hops in a row', () => {
  test('the nearer sight is the pair of the first edge', () => {
    const edge = innerOf('e2', TEXT, {
      ids: TRACE,
      openedMs: 2,
      endedMs: 310,
      more: { edge: 'second' },
      lanes: [{ text: TEXT, atMs: every(99.5, 10, 20) }],
    });
    expect(told(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [innerOf('i', TEXT, { ids: TRACE }), edge] }))).toBe(
      'e2 by trace',
    );
  });
});

describe('a client that left', () => {
  const left = { more: { outcome: 'client_abort' as const } };

  test('waits for what was asked for it, and says when that goes on', () => {
    const outer = outerOf('', { ids: TRACE, ...left });
    const scene = { inner: [innerOf('i', '', { ids: TRACE, endedMs: null })] };
    expect(chosen(outer, { ...scene, isLast: false })).toBe('wait');
    expect(told(chosen(outer, scene))).toBe('i by trace?');
  });

  test('an exchange that goes on says nothing of one that ended well', () => {
    expect(chosen(outerOf('', { ids: TRACE }), { inner: [innerOf('i', '', { ids: TRACE, endedMs: null })] })).toBe(
      'not_seen',
    );
  });

  test('has the beginning of the text', () => {
    const outer = outerOf(TEXT.slice(0, 100), { ids: TRACE, ...left });
    expect(told(chosen(outer, { inner: [innerOf('i', TEXT, { ids: TRACE })] }))).toBe('i by trace');
  });
});

test('what nobody saw is not seen', () => {
  expect(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [] })).toBe('not_seen');
});

test('a try that brought no answer is nobody’s text, though nothing could be read of it', () => {
  const { dialect: _, ...unread } = sight({ id: 'x' }).facts;
  const failed = innerOf('i', '', {
    ids: TRACE,
    facts: { status: 503, receivedBytes: 0 },
    more: { outcome: 'error_http' },
  });
  const mute = { ...failed, facts: { ...unread, status: 503, receivedBytes: 0 } };
  expect(chosen(outerOf(TEXT, { ids: TRACE }), { inner: [mute] })).toBe('content');
});
