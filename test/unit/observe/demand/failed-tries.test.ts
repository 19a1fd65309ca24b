// Goal: a retry is known as one, by its key or its body, and nothing that asks for something new ever is.
// Method: ends of exchanges told to the memory of failed tries, moments in whole seconds.
import { describe, expect, test } from 'vitest';
import { RETRY_BY_BODY_MAX_MS, RETRY_BY_KEY_MAX_MS } from '../../../../src/base/demand-limits.ts';
import { AnsweredKeys } from '../../../../src/observe/demand/answered-keys.ts';
import { type EndedTry, FailedTries } from '../../../../src/observe/demand/failed-tries.ts';

const S = 1e9;

/** An exchange from one second to another; fails unless it says otherwise. */
function tried(id: string, openedS: number, endedS: number, more: Partial<EndedTry> = {}): EndedTry {
  return { id, openedAtNs: openedS * S, endedAtNs: endedS * S, failed: true, bodyPrint: 'same', ...more };
}

const OK = { failed: false };

describe('a retry', () => {
  test('is the same body after a try that failed', () => {
    const tries = new FailedTries();
    expect(tries.ended(tried('a', 0, 1))).toBeUndefined();
    expect(tries.ended(tried('b', 2, 3, OK))).toEqual({
      sign: 'body',
      attempt: 2,
      of: 'a',
      first: 'a',
      sinceFirstNs: 2 * S,
    });
    expect(tries.size).toBe(0);
  });

  test('is the same key after a try that failed, whatever its body', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1, { keyPrint: 'k', bodyPrint: 'one' }));
    expect(tries.ended(tried('b', 2, 3, { keyPrint: 'k', bodyPrint: 'two' }))).toMatchObject({
      sign: 'idempotency_key',
      of: 'a',
    });
  });

  test('is the same key after an answer too, and its own answer is known by it again', () => {
    const tries = new FailedTries();
    const keyed = { ...OK, keyPrint: 'k' };
    expect(tries.ended(tried('a', 0, 1, keyed))).toBeUndefined();
    const again = { sign: 'idempotency_key', first: 'a', wasAnswered: true };
    expect(tries.ended(tried('b', 2, 3, keyed))).toEqual({ ...again, of: 'a', attempt: 2, sinceFirstNs: 2 * S });
    expect(tries.ended(tried('c', 4, 5, keyed))).toEqual({ ...again, of: 'b', attempt: 3, sinceFirstNs: 4 * S });
    // One at the same time asks for something of its own, by all that is known.
    expect(tries.ended(tried('d', 4.5, 6, keyed))).toBeUndefined();
    expect(tries.size).toBe(0);
  });

  test('of a failed try behind an answer still says that there was one', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1, { ...OK, keyPrint: 'k' }));
    expect(tries.ended(tried('b', 2, 3, { keyPrint: 'k' }))).toMatchObject({ of: 'a', wasAnswered: true });
    expect(tries.ended(tried('c', 4, 5, { ...OK, keyPrint: 'k' }))).toMatchObject({ of: 'b', wasAnswered: true });
  });

  test('of a retry names the first try and counts on', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1));
    tries.ended(tried('b', 2, 3));
    expect(tries.ended(tried('c', 7, 8, OK))).toEqual({
      sign: 'body',
      attempt: 3,
      of: 'b',
      first: 'a',
      sinceFirstNs: 7 * S,
    });
  });

  test('may begin at the very moment at which the try before it ended', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1));
    expect(tries.ended(tried('b', 1, 2))).toMatchObject({ of: 'a' });
  });

  test('that its client states is one, although no try before it is known', () => {
    const tries = new FailedTries();
    expect(tries.ended(tried('a', 0, 1, { statedRetries: 2 }))).toEqual({ sign: 'stated', attempt: 3 });
    expect(tries.ended(tried('b', 2, 3, { statedRetries: 3 }))).toMatchObject({ sign: 'body', of: 'a', attempt: 4 });
  });

  test('of several failed tries belongs to the latest, and each has one retry', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 2));
    tries.ended(tried('b', 1, 3));
    expect(tries.ended(tried('c', 4, 5, OK))).toMatchObject({ of: 'b' });
    expect(tries.ended(tried('d', 4, 5, OK))).toMatchObject({ of: 'a' });
    expect(tries.ended(tried('e', 4, 5, OK))).toBeUndefined();
  });
});

describe('new demand is', () => {
  test('the same request at the same time, also when the other fails', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 2));
    expect(tries.ended(tried('b', 1, 3, OK))).toBeUndefined();
  });

  test('the same request after a success', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1, OK));
    expect(tries.ended(tried('b', 2, 3, OK))).toBeUndefined();
  });

  test('another request after one that failed', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1, { keyPrint: 'k' }));
    expect(tries.ended(tried('b', 2, 3, { keyPrint: 'other', bodyPrint: 'other' }))).toBeUndefined();
  });

  test('a request without key or known body, however many such failed', () => {
    const tries = new FailedTries();
    const bare = { id: 'x', openedAtNs: 0, endedAtNs: S, failed: true };
    expect(tries.ended(bare)).toBeUndefined();
    expect(tries.ended({ ...bare, openedAtNs: 2 * S, endedAtNs: 3 * S })).toBeUndefined();
    expect(tries.size).toBe(0);
  });

  test('a first try as its client states, with no failed one before it', () => {
    expect(new FailedTries().ended(tried('a', 0, 1, { statedRetries: 0 }))).toBeUndefined();
  });
});

describe('memory', () => {
  test('of a body lasts two minutes, of a key ten', () => {
    const lasts = (maxMs: number, more: Partial<EndedTry>): unknown[] =>
      [0, 1].map((lateNs) => {
        const tries = new FailedTries();
        tries.ended(tried('a', 0, 1, more));
        const openedAtNs = S + maxMs * 1e6 + lateNs;
        return tries.ended({ ...tried('b', 0, 0, more), openedAtNs, endedAtNs: openedAtNs + S })?.of;
      });
    expect(lasts(RETRY_BY_BODY_MAX_MS, {})).toEqual(['a', undefined]);
    expect(lasts(RETRY_BY_KEY_MAX_MS, { keyPrint: 'k' })).toEqual(['a', undefined]);
  });

  test('holds so many tries, forgets the oldest first, and counts it', () => {
    const tries = new FailedTries(3);
    for (let each = 0; each < 5; each += 1) tries.ended(tried(`t${each}`, each, each, { bodyPrint: `b${each}` }));
    expect([tries.size, tries.forgottenCount]).toEqual([3, 2]);
    const found = [0, 1, 2, 3, 4].map((each) => tries.ended(tried('r', 9, 9, { ...OK, bodyPrint: `b${each}` }))?.of);
    expect(found).toEqual([undefined, undefined, 't2', 't3', 't4']);
  });

  test('of answered keys is bounded, and what was answered last stays', () => {
    const keys = new AnsweredKeys(2);
    const before = (id: string) => ({ id, endedAtNs: S, first: { id, openedAtNs: 0 }, attempt: 1, wasAnswered: true });
    for (const id of ['a', 'b', 'a', 'c']) keys.add(id, before(id));
    expect(['a', 'b', 'c'].map((id) => keys.find(id, 2 * S)?.id)).toEqual(['a', undefined, 'c']);
  });

  test('lets go of what nobody can retry any more', () => {
    const tries = new FailedTries();
    tries.ended(tried('a', 0, 1, { bodyPrint: 'one' }));
    tries.ended(tried('b', 5_000, 5_001, { bodyPrint: 'two' }));
    expect([tries.size, tries.forgottenCount]).toEqual([1, 0]);
  });
});
