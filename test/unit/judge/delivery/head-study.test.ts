// Goal: no engine that sends its head early is said to stand behind a hop that keeps it, whatever else made the head
// late, and hops that do keep it are mostly named. Method: thousands of seeded streams of known making; more with
// RUBATO_STUDY_SCALE. The confidence of the rule about heads rests on this.
import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/client/random.ts';
import { judgeDelivery } from '../../../../src/judge/delivery/rules.ts';
import type { DeliveryVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { INNOCENT_HEADS, KEEPING_HEADS, type HeadWay } from '../../../support/delivery/heads.ts';
import { recordOfDelivery } from '../../../support/delivery/record.ts';
import { RARE_RHYTHMS, USUAL_RHYTHMS, type Rhythm } from '../../../support/delivery/rhythms.ts';

const SCALE = Number(process.env['RUBATO_STUDY_SCALE'] ?? 1);

interface Case {
  readonly name: string;
  readonly verdict: DeliveryVerdict | undefined;
  /** Head received, as the record has it. */
  readonly headAtMs: number;
}

function study(rhythms: readonly Rhythm[], ways: readonly HeadWay[], eachCount: number, firstSeed: number): Case[] {
  const cases: Case[] = [];
  for (const way of ways) {
    for (const rhythm of rhythms) {
      for (let round = 0; round < eachCount * SCALE; round += 1) {
        const seed = firstSeed + cases.length;
        const random = seededRandom(seed);
        const given = way.deliver(rhythm.writes(random), random);
        const record = {
          ...recordOfDelivery(given),
          engine: { name: 'vllm', by: 'body', version: '0.32.0' } as const,
          connection: { reused: false, tcpNs: Math.round(given.roundTripMs * 1e6) },
        };
        const verdict = judgeDelivery(record);
        cases.push({ name: `${seed}: ${rhythm.name}, ${way.name}`, verdict, headAtMs: given.headAtMs });
      }
    }
  }
  return cases;
}

const isAccusedOfHead = ({ verdict }: Case): boolean => verdict?.word === 'holds' && verdict.way === 'head';

test('no head that the engine, the network or this side made late is called withheld', { timeout: 120_000 }, () => {
  const cases = study([...USUAL_RHYTHMS, ...RARE_RHYTHMS], INNOCENT_HEADS, 12, 3_000_000);
  expect(cases.length).toBeGreaterThanOrEqual(1000);
  expect(cases.filter(isAccusedOfHead).map(({ name }) => name)).toEqual([]);
});

test('of heads that a hop kept for long enough, nine of ten are named', { timeout: 120_000 }, () => {
  const cases = study(USUAL_RHYTHMS, KEEPING_HEADS, 40, 4_000_000);
  const long = cases.filter(({ headAtMs }) => headAtMs > 800);
  expect(long.length).toBeGreaterThan(100);
  const missed = long.filter(({ verdict }) => verdict?.word !== 'holds').map(({ name }) => name);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(0.1 * long.length);
  // What waited for less is not worth a word.
  const cleared = cases.filter(({ verdict, headAtMs }) => headAtMs > 150 && verdict?.word === 'passes');
  expect(cleared.map(({ name }) => name)).toEqual([]);
});
