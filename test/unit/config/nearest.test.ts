// Goal: a guess is made when it is likely to help and not otherwise. Method: literal words.
import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../../src/config/nearest.ts';

const NAMES = ['upstream', 'listen', 'admin', 'stall-ms'];

test.each([
  ['upstrem', 'upstream'],
  ['Listen', 'listen'],
  ['stall_ms', 'stall-ms'],
  ['adminn', 'admin'],
  ['xyzzy', undefined],
  ['in', undefined],
])('%s is taken for %s', (word, name) => {
  expect(nearest(word, NAMES)).toBe(name);
});

test('nothing is near when there are no names', () => {
  expect(nearest('a', [])).toBeUndefined();
});

test('a guess is put as a question, with the prefix of its kind', () => {
  expect(didYouMean('upstrem', NAMES, '--')).toBe(' Did you mean "--upstream"?');
  expect(didYouMean('xyzzy', NAMES)).toBe('');
});
