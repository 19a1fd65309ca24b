// Goal: what many exchanges say of a hop is one word with its cure, and nothing of it comes from a single one.
// Method: reports with hand-made facts and verdicts; what the summary tells of each hop by name.
import { expect, test } from 'vitest';
import type { HopVerdict } from '../../../../src/judge/delivery.ts';
import type { Report } from '../../../../src/judge/report.ts';
import { HopSummary } from '../../../../src/observe/pairing/hop-summary.ts';
import type { HopFacts } from '../../../../src/record/hop-facts.ts';
import type { HopProduct } from '../../../../src/record/hop-signs.ts';
import { reportOf, usualStream } from '../../telemetry/reports.ts';

const FACTS: HopFacts = {
  name: 'gateway',
  pairedBy: 'trace',
  confirmed: true,
  attemptCount: 1,
  inner: { id: '0.0-1', openedAtNs: 1, eventCount: 1, receivedBytes: 1 },
  curve: { channel: [], choice: [], endChars: [], innerAtNs: [], innerBytes: [], outerAtNs: [] },
  changes: ['comments_dropped'],
};
const HOLDS: HopVerdict = {
  hop: 'gateway',
  word: 'holds',
  way: 'size',
  confidence: 0.9,
  signs: ['constant_blocks'],
  numbers: { blockBytes: 4_096 },
  holdMaxNs: 480_000_000,
};
const PASSES: HopVerdict = { hop: 'gateway', word: 'passes', confidence: 0.9, signs: [], numbers: {} };

function pair(hop: HopVerdict, products: readonly HopProduct[] = []): Report {
  const report = reportOf(usualStream(3));
  const response = { ...report.record.response, hopSigns: { products } };
  return { ...report, record: { ...report.record, response, hop: FACTS }, hop };
}

test('a hop that holds again and again is named with its way, its signature and the setting of its product', () => {
  const summary = new HopSummary();
  for (let round = 0; round < 4; round += 1) summary.onReport(pair(HOLDS, ['nginx']));
  const [state, ...more] = summary.states();
  expect(more).toEqual([]);
  expect(state).toMatchObject({
    hop: 'gateway',
    word: 'holds',
    way: 'size',
    signature: { blockBytes: 4_096 },
    products: ['nginx'],
    pairedCount: 4,
    pairedBy: { trace: 4 },
    words: { holds: 4 },
    changes: { comments_dropped: 4 },
    holdMax: { count: 4, p50Ns: 480_000_000 },
  });
  expect(state?.cures).toHaveLength(1);
  expect(state?.cures[0]).toMatch(/^nginx: .*proxy_buffering off/);
});

test('one exchange that was held is no verdict, and needs no cure', () => {
  const summary = new HopSummary();
  summary.onReport(pair(HOLDS));
  for (let round = 0; round < 9; round += 1) summary.onReport(pair(PASSES));
  expect(summary.states()).toMatchObject([{ word: 'passes', cures: [], words: { holds: 1, passes: 9 } }]);
});

test('what was not found behind a hop counts by its reason, and other exchanges not at all', () => {
  const summary = new HopSummary();
  summary.onReport(reportOf(usualStream(3)));
  expect(summary.states()).toEqual([]);
  summary.onReport({ ...reportOf(usualStream(3)), unpaired: { hop: 'cache', reason: 'outside' } });
  expect(summary.states()).toMatchObject([
    { hop: 'cache', word: 'unsure', pairedCount: 0, unpaired: { outside: 1 }, recentCount: 0 },
  ]);
});
