// Goal: what one point says of delivery can be trusted. Method: seeded streams of known making, thousands of them
// by default and more with RUBATO_STUDY_SCALE: engines' rhythms that are no buffering, through networks, readers
// and front ends that disturb them, and usual rhythms through hops that do hold, among them a real deflate. Each
// goes through the parser and the logs that a real answer goes through. The confidences of the rules rest on this.
import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/client/random.ts';
import type { DeliveryVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeDelivery } from '../../../../src/judge/delivery/rules.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { recordOfDelivery } from '../../../support/delivery/record.ts';
import { RARE_RHYTHMS, type Rhythm, USUAL_RHYTHMS } from '../../../support/delivery/rhythms.ts';
import { HOLDING_WAYS, INNOCENT_WAYS, type Way } from '../../../support/delivery/ways.ts';

const SCALE = Number(process.env['RUBATO_STUDY_SCALE'] ?? 1);
const INNOCENT_EACH_COUNT = 10 * SCALE;
const HELD_EACH_COUNT = 6 * SCALE;
/** No share of cases is known better than by the rule of three. */
const RULE_OF_THREE = 3;
const HIGH_CONFIDENCE = 0.9;

interface Case {
  readonly way: Way;
  readonly name: string;
  readonly record: StreamRecord;
  readonly verdict: DeliveryVerdict | undefined;
}

async function study(
  rhythms: readonly Rhythm[],
  ways: readonly Way[],
  eachCount: number,
  seed: number,
): Promise<Case[]> {
  const cases: Case[] = [];
  for (const way of ways) {
    for (const rhythm of rhythms) {
      for (let round = 0; round < eachCount; round += 1) {
        const caseSeed = seed + cases.length;
        const random = seededRandom(caseSeed);
        const record = recordOfDelivery(await way.deliver(rhythm.writes(random), random));
        cases.push({ way, name: `${caseSeed}: ${rhythm.name}, ${way.name}`, record, verdict: judgeDelivery(record) });
      }
    }
  }
  return cases;
}

const innocent = study([...USUAL_RHYTHMS, ...RARE_RHYTHMS], INNOCENT_WAYS, INNOCENT_EACH_COUNT, 1);
const held = study(USUAL_RHYTHMS, HOLDING_WAYS, HELD_EACH_COUNT, 1_000_000);

/** Long enough to be usual: the hop let go a few times, and held ten events each time. */
function isOfUsualLength({ record, way }: Case): boolean {
  const eventCount = record.events.generated.filter((channels) => channels !== 0).length;
  const moments = new Set(record.chunks.receivedAtNs.map((atNs) => Math.round(atNs / 2e6)));
  const letsGoOnce = way.way === 'until_end' || way.way === 'compression';
  return eventCount >= 60 && (letsGoOnce || (moments.size >= 4 && eventCount >= 10 * moments.size));
}

test('no stream is accused that nothing held', async () => {
  const cases = await innocent;
  expect(cases.length).toBeGreaterThanOrEqual(1000);
  expect(cases.filter(({ verdict }) => verdict?.word === 'holds').map(({ name }) => name)).toEqual([]);
}, 120_000);

test('what passes is mostly called so: usual rhythms on a quiet way in nine of ten cases', async () => {
  const quiet = (await innocent).filter(
    ({ way, name }) => way.name === 'loopback' && / (steady|speculative|stalls)/.test(name),
  );
  const passing = quiet.filter(({ verdict }) => verdict?.word === 'passes');
  expect(passing.length).toBeGreaterThanOrEqual(0.9 * quiet.length);
}, 120_000);

test('of streams of usual length that a hop held, nine of ten are recognised', async () => {
  const usual = (await held).filter(isOfUsualLength);
  expect(usual.length).toBeGreaterThan(150);
  const missed = usual.filter(({ verdict }) => verdict?.word !== 'holds').map(({ name }) => name);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(0.1 * usual.length);
}, 120_000);

test('the way is the true one in eight of ten of those', async () => {
  const seen = (await held).filter((one) => isOfUsualLength(one) && one.verdict?.word === 'holds');
  const wrong = seen.filter(({ way, verdict }) => verdict?.way !== way.way).map(({ name }) => name);
  expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(0.2 * seen.length);
}, 120_000);

test('nothing that was held is said to pass with high confidence', async () => {
  const passed = (await held).filter(({ verdict }) => verdict?.word === 'passes');
  expect(passed.filter(({ verdict }) => (verdict?.confidence ?? 0) >= HIGH_CONFIDENCE).map(({ name }) => name)).toEqual(
    [],
  );
}, 120_000);

test('the confidence of a word is the share of cases in which it was right', async () => {
  const truths = [
    ...(await innocent).map(({ verdict }) => ({ verdict, right: 'passes' })),
    ...(await held).map(({ verdict }) => ({ verdict, right: 'holds' })),
  ];
  for (const word of ['passes', 'holds'] as const) {
    const said = truths.flatMap(({ verdict, right }) => (verdict?.word === word ? [{ verdict, right }] : []));
    const wrongCount = said.filter(({ right }) => right !== word).length;
    // Of few cases nothing better than this can be known, so the claims are compared with it.
    const shareKnown = 1 - Math.max(wrongCount, RULE_OF_THREE) / said.length;
    for (const { verdict } of said) expect(verdict.confidence).toBeLessThanOrEqual(shareKnown);
  }
}, 120_000);
