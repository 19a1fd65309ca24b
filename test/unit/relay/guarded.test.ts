// Goal: what one exchange throws is handed to it, and is told in a word that holds nothing from the wire.
// Method: functions that throw; errors of several kinds.
import { expect, test } from 'vitest';
import { exceptionReason, guarded } from '../../../src/relay/guarded.ts';

test('work that throws hands its exception over and throws nothing', () => {
  const caught: unknown[] = [];
  const fault = new Error('x');
  const work = guarded(
    (error) => caught.push(error),
    (fail: boolean) => {
      if (fail) throw fault;
    },
  );
  work(false);
  expect(caught).toEqual([]);
  work(true);
  expect(caught).toEqual([fault]);
});

test('the reason names the kind and the place', () => {
  expect(exceptionReason(new TypeError('secret'))).toMatch(/^TypeError guarded\.test\.ts:\d+$/);
});

test('a message that looks like a place is not taken for one', () => {
  const fault = new Error('at secret.ts:1');
  fault.stack = `Error: at secret.ts:1\n    at run (/app/src/relay/upload.ts:12:3)`;
  expect(exceptionReason(fault)).toBe('Error upload.ts:12');
});

test.each<readonly [unknown, string]>([
  ['secret', 'exception'],
  [undefined, 'exception'],
  [Object.assign(new Error('secret'), { name: 'a secret name', stack: undefined }), 'Error'],
])('%o is told as %s', (thrown, reason) => {
  expect(exceptionReason(thrown)).toBe(reason);
});
