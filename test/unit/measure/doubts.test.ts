// Goal: every doubt of an exchange is counted once, those of the record and those of the split.
// Method: sets worked out by hand.
import { expect, test } from 'vitest';
import { DOUBTS_COUNT, doubtsOf } from '../../../src/measure/doubts.ts';
import { DOUBTS } from '../../../src/record/kinds.ts';
import type { Split } from '../../../src/measure/figures.ts';

const split = (rounded: boolean, contradicted: boolean) => ({ rounded, contradicted }) as Split;

test('doubts of the record and of the split are one set', () => {
  expect([...doubtsOf({ doubts: ['no_done', 'rounded'] }, split(true, true))]).toEqual([
    'no_done',
    'rounded',
    'contradicted',
  ]);
  expect([...doubtsOf({ doubts: ['loop_lag'] }, split(false, false))]).toEqual(['loop_lag']);
  expect([...doubtsOf({ doubts: [] }, undefined)]).toEqual([]);
});

test('each doubt is counted from 0 on', () => {
  expect(DOUBTS_COUNT.startAtZero).toEqual({ doubt: DOUBTS });
});
