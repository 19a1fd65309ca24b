// Goal: nothing that an engine or a hop can send stops the reading: no exception gets past a dialect or
// out of the reader, no event is made up, and what is read does not depend on how the bytes were cut.
// Method: every vector with the JSON of its messages made wrong (types, fields, numbers, depth, keys,
// nulls, syntax) and with its bytes made wrong, at random; fast-check prints the seed when it fails.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_TYPE_MAX_CHARS, FINISH_REASON_MAX_CHARS, NAME_MAX_CHARS } from '../../src/base/limits.ts';
import { createAnswerReader } from '../../src/stream/answer-reader.ts';
import { mutateBytes, mutateMessages } from '../support/mutate-body.ts';
import { randomOf, type Random } from '../support/mutate-json.ts';
import { loadVectors, type Vector } from '../support/vectors.ts';
import { cutAt, readAll, type Told } from '../unit/stream/read-all.ts';
import { fuzz } from '../support/fuzz.ts';

const MUTANTS_COUNT = 8;
const FRAME_MIN_BYTES = 16;

/** The most events a body can hold: one a line, a bracket or a frame. */
function mostEvents(body: Buffer, mediaType: string | undefined): number {
  if (mediaType === 'application/vnd.amazon.eventstream') return Math.floor(body.length / FRAME_MIN_BYTES);
  return body.toString('latin1').split(mediaType === 'application/json' ? /[{[]/ : /[\r\n]/).length;
}

function read(vector: Vector, pieces: readonly Uint8Array[]): Omit<Told, 'pieces'> {
  const { pieces: _, ...told } = readAll(pieces, { head: vector.head, hints: vector.hints });
  return told;
}

function expectSound(told: Omit<Told, 'pieces'>): void {
  const { facts, tokens, events } = told;
  // A fault of a dialect is caught by the reader; here it must not even occur.
  expect(facts.unreadable).not.toBe('fault');
  const { basis: _, ...counts } = tokens;
  for (const count of [...Object.values(counts), ...events.map((event) => event.tokensSoFar ?? 0)]) {
    expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  }
  for (const name of [facts.model, facts.responseId, facts.dialect]) expectAtMost(name, NAME_MAX_CHARS);
  for (const reason of facts.finishReasons) expectAtMost(reason, FINISH_REASON_MAX_CHARS);
  expectAtMost(facts.errorType, ERROR_TYPE_MAX_CHARS);
  expect(JSON.parse(JSON.stringify(told))).toEqual(told);
}

function expectAtMost(text: string | undefined, maxChars: number): void {
  expect((text ?? '').length).toBeLessThanOrEqual(maxChars);
}

function check(vector: Vector, mutate: (random: Random) => Buffer): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = randomOf(seed);
      const body = mutate(random);
      const told = read(vector, [body]);
      expectSound(told);
      expect(told.events.length).toBeLessThanOrEqual(mostEvents(body, vector.head.mediaType));
      const cuts = Array.from({ length: 4 }, () => Math.floor(random() * body.length));
      expect(JSON.stringify(read(vector, cutAt(body, cuts)))).toBe(JSON.stringify(told));
    }),
    fuzz(MUTANTS_COUNT),
  );
}

describe.each(loadVectors().map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  it('is read whatever is wrong with its messages', () => {
    check(vector, (random) => mutateMessages(vector, random));
  });

  it('is read whatever is wrong with its bytes', () => {
    check(vector, (random) => mutateBytes(vector.body, random));
  });

  it('is read on after a loss at any place', () => {
    for (let at = 0; at < vector.body.length; at += 37) {
      const reader = createAnswerReader(vector.head, vector.hints, () => {});
      reader.feed(vector.body.subarray(0, at));
      reader.skip();
      reader.feed(vector.body.subarray(at + 5));
      reader.end();
      expect(reader.facts().unreadable).not.toBe('fault');
    }
  });
});
