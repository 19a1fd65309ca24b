// Goal: a name that is known is answered at once and in the best order; it is asked for anew in the background,
// and a bad answer never takes a good one away.
// Method: look-ups as plain functions, fake timers.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ADDRESS_FAILED_MS, NAME_REFRESH_MAX_MS, NAME_REFRESH_MIN_MS } from '../../../src/base/limits.ts';
import { NameBook } from '../../../src/relay/name-book.ts';
import type { NameAnswer } from '../../../src/relay/name-lookup.ts';

let asked: [name: string, system: boolean][] = [];
let next: () => Promise<NameAnswer>;
let book: NameBook;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
  asked = [];
  book = new NameBook((name, system) => {
    asked.push([name, system]);
    return next();
  });
});
afterEach(() => void vi.useRealTimers());

function answers(addresses: readonly string[], ttlMs?: number, bySystem = false): void {
  next = () => Promise.resolve({ addresses, ttlMs, bySystem });
}

function fails(code: string): void {
  next = () => Promise.reject(Object.assign(new Error(code), { code }));
}

/** What `net.connect` would be told; `waited` when not at once. */
async function lookUp(name = 'engine'): Promise<{ addresses?: string[]; code?: string; waited: boolean }> {
  let answered = false;
  const { promise, resolve } = Promise.withResolvers<{ addresses?: string[]; code?: string }>();
  book.lookup(name, { all: true }, (fault, found) => {
    answered = true;
    resolve(
      fault ? { code: String(fault.code) } : { addresses: (found as { address: string }[]).map((a) => a.address) },
    );
  });
  const waited = !answered;
  return { ...(await promise), waited };
}

async function known(addresses: readonly string[], ttlMs?: number): Promise<void> {
  answers(addresses, ttlMs);
  book.keepOnly(new Set(['engine']));
  await vi.advanceTimersByTimeAsync(0);
}

describe('a look-up', () => {
  test('of a name that is kept is answered at once', async () => {
    await known(['10.0.0.1']);
    expect(await lookUp()).toEqual({ addresses: ['10.0.0.1'], waited: false });
    expect(asked).toEqual([['engine', true]]);
  });

  test('of a name of which nothing is known waits, all for one question', async () => {
    answers(['10.0.0.1']);
    const both = await Promise.all([lookUp(), lookUp()]);
    expect(both.map(({ waited }) => waited)).toEqual([true, true]);
    expect(both.map(({ addresses }) => addresses)).toEqual([['10.0.0.1'], ['10.0.0.1']]);
    expect(asked).toHaveLength(1);
  });

  test('tells why nothing was found, and asks again the next time', async () => {
    fails('ENOTFOUND');
    expect(await lookUp()).toEqual({ code: 'ENOTFOUND', waited: true });
    answers(['10.0.0.1']);
    expect((await lookUp()).addresses).toEqual(['10.0.0.1']);
  });

  test('that wants one address gets one', async () => {
    await known(['::1', '10.0.0.1']);
    const callback = vi.fn();
    book.lookup('engine', {}, callback);
    expect(callback).toHaveBeenCalledWith(null, '::1', 6);
  });
});

describe('asking anew', () => {
  test('comes when the answer has run out, between 5 s and a minute', async () => {
    await known(['10.0.0.1'], 20_000);
    await vi.advanceTimersByTimeAsync(19_999);
    expect(asked).toHaveLength(1);
    answers(['10.0.0.2'], 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
    expect((await lookUp()).addresses).toEqual(['10.0.0.2']);
    answers(['10.0.0.3'], 86_400_000);
    await vi.advanceTimersByTimeAsync(NAME_REFRESH_MIN_MS);
    expect(asked).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(NAME_REFRESH_MAX_MS - 1);
    expect(asked).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(4);
  });

  test('is seldom for a name that nobody uses', async () => {
    await known(['10.0.0.1'], 1);
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    const askedCount = asked.length;
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(asked.length - askedCount).toBeLessThanOrEqual(11);
  });

  test('in vain keeps the last good answer, and spends none of the system’s threads', async () => {
    await known(['10.0.0.1'], 1);
    fails('ETIMEOUT');
    await vi.advanceTimersByTimeAsync(3 * NAME_REFRESH_MIN_MS);
    expect(asked.slice(1)).toEqual([
      ['engine', false],
      ['engine', false],
      ['engine', false],
    ]);
    expect(await lookUp()).toEqual({ addresses: ['10.0.0.1'], waited: false });
  });

  test('of a name that only the system knows goes to the system', async () => {
    answers(['10.0.0.1'], undefined, true);
    book.keepOnly(new Set(['engine']));
    await vi.advanceTimersByTimeAsync(NAME_REFRESH_MIN_MS);
    expect(asked.at(-1)).toEqual(['engine', true]);
  });

  test('is hurried by a connection that found nobody, but not again at once', async () => {
    await known(['10.0.0.1'], 60_000);
    book.onUnreachable('engine');
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    book.onUnreachable('engine');
    book.onUnreachable('engine');
    await vi.advanceTimersByTimeAsync(0);
    book.onUnreachable('engine');
    expect(asked).toHaveLength(2);
  });

  test('ends for names that are kept no more, and never begins for addresses', async () => {
    await known(['10.0.0.1'], 1);
    book.keepOnly(new Set(['127.0.0.1', '::1']));
    await vi.advanceTimersByTimeAsync(NAME_REFRESH_MAX_MS);
    expect(asked).toHaveLength(1);
  });
});

describe('the order', () => {
  test('goes on by one with each connection, so that they spread', async () => {
    await known(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect((await lookUp()).addresses).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect((await lookUp()).addresses).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.1']);
  });

  test('F31 begins with the family that worked last', async () => {
    await known(['10.0.0.1', 'fd00::1', 'fd00::2']);
    book.onConnected('engine', 'fd00::2');
    expect((await lookUp()).addresses).toEqual(['fd00::1', 'fd00::2', '10.0.0.1']);
    expect((await lookUp()).addresses).toEqual(['fd00::1', 'fd00::2', '10.0.0.1']);
  });

  test('ends with what failed lately, until it worked or time has passed', async () => {
    await known(['10.0.0.1', '10.0.0.2'], 60_000);
    book.onFailed('engine', '10.0.0.1');
    expect((await lookUp()).addresses).toEqual(['10.0.0.2', '10.0.0.1']);
    expect((await lookUp()).addresses).toEqual(['10.0.0.2', '10.0.0.1']);
    await vi.advanceTimersByTimeAsync(ADDRESS_FAILED_MS + 1);
    expect((await lookUp()).addresses).toEqual(['10.0.0.1', '10.0.0.2']);
    book.onFailed('engine', '10.0.0.1');
    book.onConnected('engine', '10.0.0.1');
    expect((await lookUp()).addresses).toEqual(['10.0.0.2', '10.0.0.1']);
    expect((await lookUp()).addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});
