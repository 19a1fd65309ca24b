// Goal: a head that is kept until there is a body is seen, also where the body begins with something that is no text.
// Method: an engine that sends its head early, a role later and text after it, through hops that keep the head or not.
import { expect, test } from 'vitest';
import type { HopVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import { hopRecord, ns, passes, steady } from './records.ts';

/** The role comes out at 480 ms, text from 500.3 ms on; the head went in at 10 ms. */
function headOutAt(headOutMs: number): HopVerdict | undefined {
  const record = hopRecord({ pieces: steady(20, 100, 500), hop: passes(), headMs: [10, headOutMs] });
  const receivedAtNs = record.chunks.receivedAtNs.with(0, ns(480));
  const events = { ...record.events, generated: record.events.generated.with(0, 0) };
  return judgeHop({ ...record, chunks: { ...record.chunks, receivedAtNs }, events });
}

test('a head that comes out with the role was withheld', () => {
  expect(headOutAt(479.9)).toMatchObject({ word: 'holds', way: 'head', numbers: { headHoldMs: 469.6 } });
});

test('a head that comes out on its own was not', () => {
  expect(headOutAt(12)).toMatchObject({ word: 'passes' });
  expect(headOutAt(200)).toMatchObject({ word: 'passes' });
});

test('a first text that is late by a little passes, and leaves its sign for the running verdict', () => {
  const lateBy = (lateMs: number) =>
    judgeHop(
      hopRecord({ pieces: steady(30, 80), hop: (all) => all.map(({ atMs }, at) => atMs + (at === 0 ? lateMs : 0.3)) }),
    );
  expect(lateBy(12)).toMatchObject({ word: 'passes', signs: ['first_text_held'], numbers: { firstHoldMs: 11.7 } });
  expect(lateBy(90)).toMatchObject({ word: 'passes', signs: ['first_text_held'] });
  expect(lateBy(125)).toMatchObject({ word: 'unsure', signs: ['first_text_held'] });
});

test('a head that went in with the text, and was late with it once, was not withheld', () => {
  const late = (all: readonly { readonly atMs: number }[]) => all.map(({ atMs }, at) => atMs + (at === 0 ? 60 : 0.3));
  const verdict = judgeHop(hopRecord({ pieces: steady(80, 40), hop: late, headMs: [99, 160] }));
  expect(verdict).toMatchObject({ word: 'passes', signs: ['first_text_held'] });
});

test('a head that went in with a role, and was late with it once, was not withheld', () => {
  const record = hopRecord({ pieces: steady(30, 80, 140), hop: passes(), headMs: [100, 130] });
  const receivedAtNs = record.chunks.receivedAtNs.with(0, ns(130.1));
  expect(judgeHop({ ...record, chunks: { ...record.chunks, receivedAtNs } })).toMatchObject({ word: 'passes' });
});

// A gateway with a greeting of its own: the curve of what both sides have begins with a later read, which was late.
test('a text that is late is not the first one where others came out before it', () => {
  const late = (all: readonly { readonly atMs: number }[]) => all.map(({ atMs }, at) => atMs + (at === 1 ? 125 : 0.3));
  const record = hopRecord({ pieces: steady(200, 40), hop: late });
  const { hop } = record;
  if (hop === undefined) throw new Error('the record has no hop');
  const from = (values: readonly number[]): number[] => values.slice(1);
  const { innerAtNs, innerBytes, outerAtNs } = hop.curve;
  const curve = { ...hop.curve, innerAtNs: from(innerAtNs), innerBytes: from(innerBytes), outerAtNs: from(outerAtNs) };
  expect(judgeHop({ ...record, hop: { ...hop, curve } })?.signs).not.toContain('first_text_held');
});
