// Goal: a probe's page says in sentences what a verdict rests on, and why a stream has no second side.
// Method: verdicts and reasons as the rules give them, written out.
import { expect, test } from 'vitest';
import type { HopVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import type { ProbeResult } from '../../../../src/client/probe/result.ts';
import { signWords } from '../../../../src/client/probe/sign-words.ts';
import { unpairedLines } from '../../../../src/client/probe/unpaired-words.ts';
import { UNPAIRED_REASONS } from '../../../../src/record/hop-facts.ts';
import { byCount, byTimer, hopRecord, passes, steady, untilEnd, type Hop } from '../../judge/hop/records.ts';

const verdictOf = (hop: Hop): HopVerdict => judgeHop(hopRecord({ pieces: steady(20, 100), hop })) as HopVerdict;

test('signs of two points are sentences with their figures', () => {
  expect(signWords(verdictOf(byTimer(200, 7)))).toEqual([
    '89 % of 100 reads waited for later ones, and came out with them',
    'every 200 ms, whatever went in',
  ]);
  expect(signWords(verdictOf(byCount(5)))).toContain('5 events each time');
  expect(signWords(verdictOf(untilEnd))).toContain('nothing came out before the last of it had gone in');
  expect(signWords(verdictOf(passes(50)))).toEqual([
    'the same delay for everything: the way is long, and nothing is held',
  ]);
});

test('each reason for having no second side is said once, with how many it is true of', () => {
  const streams = [...UNPAIRED_REASONS, 'peer' as const].map((unpaired) => ({ unpaired }));
  const lines = unpairedLines({ streams } as unknown as ProbeResult, 'inner:9464');
  expect(lines).toHaveLength(UNPAIRED_REASONS.length);
  expect(lines.filter((line) => line.includes('undefined'))).toEqual([]);
  expect(lines.at(-1)).toBe(
    '  2 not found at inner:9464: it could not be asked: is that the admin port of a rubato, and does it answer?',
  );
});
