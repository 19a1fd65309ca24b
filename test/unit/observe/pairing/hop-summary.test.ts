// Goal: the running verdict of a hop says what most of the latest exchanges say, and no more than they do; a start
// that is late each time is a hold though no single exchange shows it. Method: verdicts in few words.
import { describe, expect, test } from 'vitest';
import { HOP_EXCHANGES_KEPT_COUNT, HOPS_MAX_COUNT } from '../../../../src/base/pairing-limits.ts';
import type { HopVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import type { Report } from '../../../../src/judge/report.ts';
import { opinionOf } from '../../../../src/observe/pairing/hop-opinion.ts';
import { HopSummary } from '../../../../src/observe/pairing/hop-summary.ts';
import type { HopFacts } from '../../../../src/record/hop-facts.ts';
import { type Hop, hopRecord, passes, steady, untilEnd, byTimer } from '../../judge/hop/records.ts';
import { LABELS, reportOf } from '../../telemetry/reports.ts';
import { ms } from './sights.ts';

const HOLDS: HopVerdict = {
  hop: 'h',
  word: 'holds',
  way: 'size',
  confidence: 0.95,
  signs: ['held_together'],
  numbers: { blockBytes: 4_096 },
};
const PASSES: HopVerdict = { hop: 'h', word: 'passes', confidence: 0.99, signs: [], numbers: {} };
const UNSURE: HopVerdict = { hop: 'h', word: 'unsure', confidence: 1, signs: ['jitter'], numbers: {} };
const late = (firstHoldMs: number): HopVerdict => ({ ...UNSURE, signs: ['first_text_held'], numbers: { firstHoldMs } });

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('an opinion', () => {
  test.each([
    ['nothing yet', [], 'unsure'],
    ['two held', times(2, HOLDS), 'unsure'],
    ['three held', times(3, HOLDS), 'holds'],
    ['half held', [...times(5, HOLDS), ...times(5, PASSES)], 'unsure'],
    ['more than half held', [...times(6, HOLDS), ...times(5, PASSES)], 'holds'],
    ['held, and much that cannot be told', [...times(4, HOLDS), ...times(20, UNSURE)], 'holds'],
    ['three passed', times(3, PASSES), 'passes'],
    ['one of six held', [...times(5, PASSES), HOLDS], 'passes'],
    ['a third cannot be told', [...times(4, PASSES), ...times(2, UNSURE)], 'unsure'],
  ] as const)('%s', (_, verdicts, word) => {
    expect(opinionOf(verdicts).word).toBe(word);
  });

  test('has the way and the signature of those that were held', () => {
    const found = opinionOf([...times(5, HOLDS), { ...HOLDS, way: 'until_end', numbers: { blockBytes: 9_999 } }]);
    expect(found).toEqual({
      word: 'holds',
      way: 'size',
      confidence: 0.86,
      signs: ['held_together'],
      signature: { blockBytes: 4_096 },
    });
  });

  test('a start that is late by the same time in nearly every exchange is a timer', () => {
    expect(opinionOf([24, 25, 26, 25, 31].map(late))).toMatchObject({
      word: 'holds',
      way: 'timer',
      signature: { firstHoldMs: 25 },
    });
  });

  test('a start that is late now and then, or by any time, is not', () => {
    expect(opinionOf([...times(5, late(25)), ...times(2, PASSES)]).word).toBe('unsure');
    expect(opinionOf([6, 25, 90, 250, 15].map(late)).word).toBe('unsure');
    expect(opinionOf(times(2, late(25))).word).toBe('unsure');
  });
});

function report(hop: Hop, changes: Partial<HopFacts> = {}): Report {
  const made = hopRecord({ pieces: steady(20, 50), hop });
  const record = { ...made, hop: { ...(made.hop as HopFacts), ...changes } };
  const verdict = judgeHop(record);
  return { ...reportOf({}), record, labels: LABELS, ...(verdict === undefined ? {} : { hop: verdict }) };
}

describe('a summary', () => {
  test('counts since the start and spreads over the latest', () => {
    const summary = new HopSummary();
    for (let n = 0; n < 4; n += 1)
      summary.onReport(report(byTimer(250, 3), { changes: ['usage_lost'], abortNs: ms(n) }));
    summary.onReport(report(passes(), { pairedBy: 'content', clockErrorNs: ms(2) }));
    summary.onReport({ ...reportOf({}), unpaired: { hop: 'gateway', reason: 'outside' } });
    summary.onReport(reportOf({}));
    expect(summary.states()).toMatchObject([
      {
        hop: 'gateway',
        word: 'holds',
        way: 'timer',
        pairedCount: 5,
        pairedBy: { trace: 4, content: 1 },
        unpaired: { outside: 1 },
        words: { holds: 4, passes: 1 },
        changes: { usage_lost: 4 },
        recentCount: 5,
        holdMax: { count: 5, p50Ns: ms(243.2), maxNs: ms(243.2) },
        abort: { count: 4, p50Ns: ms(1), maxNs: ms(3) },
        clockErrorNs: ms(2),
      },
    ]);
  });

  test('of old times counts no more in the verdict', () => {
    const summary = new HopSummary();
    for (let n = 0; n < 5; n += 1) summary.onReport(report(untilEnd));
    for (let n = 0; n < HOP_EXCHANGES_KEPT_COUNT; n += 1) summary.onReport(report(passes()));
    expect(summary.states()).toMatchObject([
      { word: 'passes', recentCount: HOP_EXCHANGES_KEPT_COUNT, words: { holds: 5 } },
    ]);
  });

  test('of too many hops leaves the later ones out', () => {
    const summary = new HopSummary();
    for (let n = 0; n <= HOPS_MAX_COUNT; n += 1) {
      summary.onReport({ ...reportOf({}), unpaired: { hop: `h${n}`, reason: 'not_seen' } });
    }
    expect(summary.states()).toHaveLength(HOPS_MAX_COUNT);
  });
});
