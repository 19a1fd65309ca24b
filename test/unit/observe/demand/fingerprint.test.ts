// Goal: two requests have the same fingerprint exactly when the same client asks for the same, and a fingerprint
// tells nothing of what it was made of. Method: heads and bodies that differ in one thing each.
import { expect, test } from 'vitest';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../../../src/base/demand-limits.ts';
import { bodyPrint, keyPrint } from '../../../../src/observe/demand/fingerprint.ts';
import { statedRetries } from '../../../../src/observe/demand/stated-tries.ts';

const ASKED = { routeIndex: 0, method: 'POST', target: '/v1/chat/completions', fields: ['Authorization', 'Bearer a'] };
const BODY = Buffer.from('{"model":"m"}');

test('a body is the same in whatever pieces it came', () => {
  const whole = bodyPrint(ASKED, [BODY]);
  expect(whole).toMatch(/^[0-9a-f]{16}$/);
  expect(bodyPrint(ASKED, [BODY.subarray(0, 3), BODY.subarray(3)])).toBe(whole);
});

test('another body, method, target, credential or point of view is another request', () => {
  const others = [
    bodyPrint(ASKED, [Buffer.from('{"model":"n"}')]),
    bodyPrint({ ...ASKED, method: 'PUT' }, [BODY]),
    bodyPrint({ ...ASKED, target: '/v1/completions' }, [BODY]),
    bodyPrint({ ...ASKED, fields: ['Authorization', 'Bearer b'] }, [BODY]),
    bodyPrint({ ...ASKED, fields: ['x-api-key', 'Bearer a'] }, [BODY]),
    bodyPrint({ ...ASKED, routeIndex: 1 }, [BODY]),
  ];
  expect(new Set([bodyPrint(ASKED, [BODY]), ...others]).size).toBe(7);
});

test('a body that is not known whole, or none at all, has no fingerprint', () => {
  expect(bodyPrint(ASKED, undefined)).toBeUndefined();
  expect(bodyPrint(ASKED, [])).toBeUndefined();
  expect(bodyPrint(ASKED, [Buffer.alloc(0)])).toBeUndefined();
});

test('a key is found under both of its names and belongs to one client', () => {
  const withField = (...fields: string[]) => keyPrint({ ...ASKED, fields: [...ASKED.fields, ...fields] });
  const print = withField('Idempotency-Key', 'k-1');
  expect(print).toMatch(/^[0-9a-f]{16}$/);
  expect(withField('X-Idempotency-Key', ' k-1 ')).toBe(print);
  expect(withField('Idempotency-Key', 'k-2')).not.toBe(print);
  expect(keyPrint({ ...ASKED, fields: ['Idempotency-Key', 'k-1'] })).not.toBe(print);
  expect(withField()).toBeUndefined();
  expect(withField('Idempotency-Key', '')).toBeUndefined();
  expect(withField('Idempotency-Key', 'x'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1))).toBeUndefined();
});

test('a key is no body of the same text', () => {
  expect(keyPrint({ ...ASKED, fields: ['Idempotency-Key', 'k'] })).not.toBe(
    bodyPrint({ ...ASKED, fields: [] }, [Buffer.from('k')]),
  );
});

test('tries are stated in digits, and anything else says nothing', () => {
  const stated = (text: string) => statedRetries(['X-Stainless-Retry-Count', text]);
  expect(['0', '2', '1000'].map(stated)).toEqual([0, 2, 1_000]);
  expect(['', '-1', '1.5', '1001', '99999', 'two'].map(stated)).toEqual(Array(6).fill(undefined));
  expect(statedRetries([])).toBeUndefined();
});
