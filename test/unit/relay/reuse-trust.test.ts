// Goal: an upstream has to show that it keeps connections before one is used again without a rest.
// Method: moments played by hand.
import { expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../../src/base/limits.ts';
import { ReuseTrust } from '../../../src/relay/reuse-trust.ts';

const REST_NS = UPSTREAM_REST_MS * 1e6;

test('a connection to an unknown upstream rests first', () => {
  const trust = new ReuseTrust();
  expect(trust.allows(1000, 1000 + REST_NS - 1)).toBe(false);
  expect(trust.allows(1000, 1000 + REST_NS)).toBe(true);
});

test('an upstream that answered on a connection used again is trusted at once', () => {
  const trust = new ReuseTrust();
  trust.kept();
  expect(trust.allows(1000, 1001)).toBe(true);
});

test('an upstream that closes soon after an answer loses the trust; one that closes after a rest does not', () => {
  const trust = new ReuseTrust();
  trust.kept();
  trust.ended(1000, 1000 + REST_NS);
  expect(trust.allows(1000, 1001)).toBe(true);
  trust.ended(1000, 1000 + REST_NS - 1);
  expect(trust.allows(1000, 1001)).toBe(false);
});
