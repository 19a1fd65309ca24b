// Goal: each thing that a hop can do beside holding is found, by its own name and no other, and nothing is said of a
// hop where the client left or a body could not be read. Method: one pair of sights a change, and its near miss.
import { describe, expect, test } from 'vitest';
import { HOP_CHANGES, type HopChange } from '../../../../src/record/hop-facts.ts';
import type { Pair } from '../../../../src/observe/pairing/choose.ts';
import { hopFactsOf } from '../../../../src/observe/pairing/facts-of.ts';
import type { Sight, SightFacts } from '../../../../src/observe/pairing/sight.ts';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import { every, type LaneSpec, ms, prose, sight, type SightSpec } from './sights.ts';

const TEXT = prose(1, 300);
const THOUGHT = prose(2, 200);

function lane(text: string, channel: LaneSpec['channel'] = 'text'): LaneSpec {
  return { text, channel, atMs: every(100, 10, 20) };
}

type Side = Partial<SightSpec>;

function factsOf(outer: Side, inner: Side, failedTries: readonly Sight[] = []) {
  const lanes = [lane(TEXT)];
  const [out, put] = [sight({ id: 'o', lanes, ...outer }), sight({ id: 'i', lanes, openedMs: 5, ...inner })];
  const pair: Pair = { inner: put, basis: 'trace', confirmed: true, failedTries, match: matchTexts(out, put) };
  return hopFactsOf(out, pair, { name: 'hop', clockErrorNs: undefined });
}

function changes(outer: Side, inner: Side, failedTries: readonly Sight[] = []): readonly HopChange[] {
  return factsOf(outer, inner, failedTries).changes;
}

const facts = (one: Partial<SightFacts>): Side => ({ facts: one });
const lanes = (...specs: LaneSpec[]): Side => ({ lanes: specs });
const left: Side = { more: { outcome: 'client_abort' }, endedMs: 300 };

const CASES: readonly (readonly [HopChange, Side, Side])[] = [
  ['text_lost', lanes(lane(TEXT.slice(0, 250))), {}],
  ['text_added', lanes(lane(`${TEXT} and more`)), {}],
  ['text_changed', lanes(lane(`${TEXT.slice(0, 200)}#${TEXT.slice(201)}`)), {}],
  ['channel_lost', {}, lanes(lane(THOUGHT, 'reasoning'), lane(TEXT))],
  ['channel_moved', lanes(lane(TEXT), lane(THOUGHT, 'refusal')), lanes(lane(THOUGHT, 'reasoning'), lane(TEXT))],
  ['dialect_translated', facts({ dialect: 'anthropic-messages' }), {}],
  ['usage_lost', {}, facts({ usage: true })],
  ['usage_added', facts({ usage: true }), {}],
  ['terminal_lost', facts({ endMark: false }), {}],
  ['events_merged', facts({ textEventCount: 4 }), {}],
  ['events_split', facts({ textEventCount: 40 }), {}],
  ['comments_dropped', {}, facts({ keepAliveCount: 3 })],
  ['keep_alives_added', facts({ keepAliveCount: 3 }), {}],
  ['accel_buffering_lost', {}, facts({ accelBuffering: 'no' })],
  ['cache_control_lost', facts({ cacheControl: ['no-cache'] }), facts({ cacheControl: ['no-cache', 'no-transform'] })],
  ['coding_added', facts({ encoding: 'gzip' }), {}],
  ['coding_removed', {}, facts({ encoding: 'gzip' })],
  ['length_added', facts({ lengthStated: true }), {}],
  ['status_changed', facts({ status: 206 }), {}],
  ['response_id_changed', { ids: { responseId: 'gw-1' } }, { ids: { responseId: 'chatcmpl-1' } }],
  ['model_changed', facts({ model: 'alias' }), facts({ model: 'real' })],
];

test.each(CASES)('%s', (change, outer, inner) => {
  expect(changes(outer, inner)).toEqual([change]);
});

test('retried', () => {
  const found = factsOf({}, {}, [sight({ id: 'i0' })]);
  expect([found.changes, found.attemptCount]).toEqual([['retried'], 2]);
});

test('every change of the closed set has its case', () => {
  const named = new Set([...CASES.map(([change]) => change), 'retried', 'abort_not_passed']);
  expect(HOP_CHANGES.filter((change) => !named.has(change))).toEqual([]);
});

describe('nothing is said', () => {
  test('of what is alike', () => {
    expect(changes({}, {})).toEqual([]);
  });

  test('of the end of a stream whose client left', () => {
    const cut = {
      ...left,
      lanes: [lane(TEXT.slice(0, 128))],
      facts: { endMark: false, terminal: false, keepAliveCount: 0 },
    };
    expect(changes(cut, { ...facts({ usage: true, keepAliveCount: 2 }), more: { outcome: 'client_abort' } })).toEqual(
      [],
    );
  });

  test('of a body that could not be read', () => {
    const { dialect: _, ...unread } = sight({ id: 'x' }).facts;
    const outer = sight({ id: 'o', more: { facts: { ...unread, encoding: 'br', usage: false, endMark: false } } });
    expect(changes({ more: outer, lanes: [] }, facts({ usage: true }))).toEqual(['coding_added']);
  });

  test('of events that are fewer because text is missing', () => {
    expect(changes({ ...lanes(lane(TEXT.slice(0, 250))), ...facts({ textEventCount: 4 }) }, {})).toEqual(['text_lost']);
  });

  test('of the mark of another API', () => {
    const outer = facts({ dialect: 'anthropic-messages', endMark: false, terminal: true });
    expect(changes(outer, {})).toEqual(['dialect_translated']);
  });

  test('of a length that the engine stated itself', () => {
    expect(changes(facts({ lengthStated: true }), facts({ lengthStated: true }))).toEqual([]);
  });
});

describe('a client that left', () => {
  const text = [lane(TEXT.slice(0, 128))];

  test('is passed on: the time it took is told', () => {
    const found = factsOf({ ...left, lanes: text }, { endedMs: 312, more: { outcome: 'client_abort' } });
    expect([found.changes, found.abortNs]).toEqual([[], ms(12)]);
  });

  test.each([
    ['goes on', { endedMs: null }],
    ['ended by itself long after', { endedMs: 2_000 }],
  ])('is not passed on: what was asked for it %s', (_, inner) => {
    const found = factsOf({ ...left, lanes: text }, inner);
    expect([found.changes, found.abortNs]).toEqual([['abort_not_passed'], undefined]);
  });

  test('was too late to be passed on: what was asked for it was over, or nearly', () => {
    for (const endedMs of [250, 900]) {
      const found = factsOf({ ...left, lanes: text }, { endedMs });
      expect([found.changes, found.abortNs]).toEqual([[], undefined]);
    }
  });
});

test('moments of the inner side are on the clock of the record', () => {
  const inner: Side = {
    openedMs: 105,
    endedMs: 700,
    more: { headWrittenAtNs: ms(150), outcome: 'ok', phase: 'after_finish' },
  };
  expect(factsOf({ openedMs: 100 }, inner).inner).toMatchObject({
    id: 'i',
    openedAtNs: ms(5),
    headWrittenAtNs: ms(50),
    endAtNs: ms(600),
    outcome: 'ok',
    eventCount: 12,
    receivedBytes: 1_000,
  });
});
