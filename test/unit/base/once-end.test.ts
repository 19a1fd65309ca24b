// Goal: an end happens once, its first cause wins, and later causes change nothing.
// Method: ends in every order, also from within the callback and with a callback that throws.
import { expect, test } from 'vitest';
import { OnceEnd } from '../../../src/base/once-end.ts';

test('nothing has ended before the first cause', () => {
  const end = new OnceEnd<string>(() => undefined);
  expect([end.ended, end.cause]).toEqual([false, undefined]);
});

test('the first cause wins and later ones are told that they are late', () => {
  const told: string[] = [];
  const end = new OnceEnd<string>((cause) => told.push(cause));
  expect(end.end('engine')).toBe(true);
  expect(end.end('client')).toBe(false);
  expect(end.end('engine')).toBe(false);
  expect(told).toEqual(['engine']);
  expect([end.ended, end.cause]).toEqual([true, 'engine']);
});

test('a cause that comes back out of the callback is an echo', () => {
  const told: string[] = [];
  const end: OnceEnd<string> = new OnceEnd((cause) => {
    told.push(cause);
    // What a callback sees must already be the end, or it would act as if the exchange still ran.
    expect([end.ended, end.cause]).toEqual([true, cause]);
    expect(end.end('echo')).toBe(false);
  });
  expect(end.end('first')).toBe(true);
  expect([told, end.cause]).toEqual([['first'], 'first']);
});

test('a callback that throws is not called again', () => {
  let callCount = 0;
  const end = new OnceEnd<string>(() => {
    callCount += 1;
    throw new Error('callback');
  });
  expect(() => end.end('a')).toThrow('callback');
  expect(end.end('b')).toBe(false);
  expect([callCount, end.cause]).toEqual([1, 'a']);
});

test('undefined is a cause like any other', () => {
  let callCount = 0;
  const end = new OnceEnd<undefined>(() => {
    callCount += 1;
  });
  expect([end.end(undefined), end.end(undefined), callCount, end.ended]).toEqual([true, false, 1, true]);
});
