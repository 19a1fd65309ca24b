// Goal: a request is sent a second time only where that cannot do anything twice.
// Method: the one attempt that may be repeated, and each way in which another differs from it.
import { expect, test } from 'vitest';
import { mayRetry, type Attempt } from '../../../src/relay/retry.ts';

const GOOD: Attempt = { method: 'GET', hasBody: false, reused: true, answered: false, retried: false };

test.each(['GET', 'HEAD', 'OPTIONS'])('%s is sent again', (method) => {
  expect(mayRetry({ ...GOOD, method })).toBe(true);
});

test.each<readonly [string, Partial<Attempt>]>([
  ['POST', { method: 'POST' }],
  ['PUT', { method: 'PUT' }],
  ['DELETE, which is idempotent and not safe', { method: 'DELETE' }],
  ['a method in small letters, which is another', { method: 'get' }],
  ['a method that nobody knows', { method: 'QUERY' }],
  ['a request with a body', { hasBody: true }],
  ['a request on a fresh connection', { reused: false }],
  ['a request whose answer had begun', { answered: true }],
  ['a request that was sent twice already', { retried: true }],
])('%s is not', (_what, change) => {
  expect(mayRetry({ ...GOOD, ...change })).toBe(false);
});
