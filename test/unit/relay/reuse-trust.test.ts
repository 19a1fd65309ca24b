// Goal: an upstream is taken at its word until it breaks it, and connections that had bytes on them which no
// request asked for are not kept for a while.
// Method: moments played by hand.
import { expect, test } from 'vitest';
import { UPSTREAM_DISTRUST_MS, UPSTREAM_REST_MS } from '../../../src/base/limits.ts';
import { ReuseTrust } from '../../../src/relay/reuse-trust.ts';

const REST_NS = UPSTREAM_REST_MS * 1e6;

test('a connection has rested after its rest, not before', () => {
  const trust = new ReuseTrust();
  expect(trust.hasRested(1000, 1000 + REST_NS - 1)).toBe(false);
  expect(trust.hasRested(1000, 1000 + REST_NS)).toBe(true);
});

test('an unknown upstream is taken at its word, one of a doubtful kind is not until it showed otherwise', () => {
  const trust = new ReuseTrust();
  expect(trust.keepsWord).toBe(true);
  trust.doubt();
  expect(trust.keepsWord).toBe(false);
  trust.kept();
  expect(trust.keepsWord).toBe(true);
  trust.doubt();
  expect(trust.keepsWord).toBe(true);
});

test('one that closes soon after an answer has broken its word; one that closes after a rest has not', () => {
  const trust = new ReuseTrust();
  trust.ended(1000, 1000 + REST_NS);
  expect(trust.keepsWord).toBe(true);
  trust.ended(1000, 1000 + REST_NS - 1);
  expect(trust.keepsWord).toBe(false);
  trust.kept();
  expect(trust.keepsWord).toBe(true);
});

test('after bytes that nobody asked for nothing is kept for a while', () => {
  const trust = new ReuseTrust();
  expect(trust.keeps(0)).toBe(true);
  trust.surplus(1000);
  expect(trust.keeps(1000 + UPSTREAM_DISTRUST_MS * 1e6 - 1)).toBe(false);
  expect(trust.keeps(1000 + UPSTREAM_DISTRUST_MS * 1e6)).toBe(true);
});
