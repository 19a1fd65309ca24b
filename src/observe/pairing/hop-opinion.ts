// What the verdicts of many exchanges say of their hop. Pure. A hop is accused when most of what could be told was
// held, or when the first text waits for about the same time in nearly every exchange.
import type { DeliveryWord, HoldWay, HopVerdict } from '../../judge/delivery/verdict.ts';
import { defined } from '../../measure/defined.ts';
import { mostCommon, medianOf, rankOf } from '../../judge/rank.ts';

export interface HopOpinion {
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  readonly confidence: number;
  readonly signs: readonly string[];
  readonly signature: Readonly<Record<string, number>>;
}

/** Exchanges on which a word rests at least; a single one may have met a pause of the hop's. */
const LEAST_COUNT = 3;
const MOST_RATIO = 0.5;
const NEARLY_ALL_RATIO = 0.8;
/** Signs that most of the exchanges share are the hop's. */
const SHARED_RATIO = 0.5;
const START_SIGN = 'first_text_held';
/** Waits of one timer differ by so much at most: the middle half of them, by their median. */
const START_SPREAD_RATIO = 0.3;

export function opinionOf(verdicts: readonly HopVerdict[]): HopOpinion {
  const holds = verdicts.filter(({ word }) => word === 'holds');
  const passes = verdicts.filter(({ word }) => word === 'passes');
  const decided = holds.length + passes.length;
  if (holds.length >= LEAST_COUNT && holds.length > MOST_RATIO * decided) {
    return {
      word: 'holds',
      ...defined({ way: mostCommon(holds.flatMap(({ way }) => way ?? [])) }),
      confidence: sureness(holds.length, decided),
      signs: sharedSigns(holds),
      signature: medians(holds),
    };
  }
  const start = startOpinion(verdicts);
  if (start !== undefined) return start;
  if (passes.length >= LEAST_COUNT && passes.length >= NEARLY_ALL_RATIO * verdicts.length) {
    const confidence = sureness(passes.length, verdicts.length);
    return { word: 'passes', confidence, signs: sharedSigns(passes), signature: {} };
  }
  return { word: 'unsure', confidence: 1, signs: sharedSigns(verdicts), signature: {} };
}

/** Nearly every answer begins late by the same time: somebody sleeps before the first event. */
function startOpinion(verdicts: readonly HopVerdict[]): HopOpinion | undefined {
  const late = verdicts.filter(({ signs }) => signs.includes(START_SIGN));
  if (late.length < LEAST_COUNT || late.length < NEARLY_ALL_RATIO * verdicts.length) return undefined;
  const waits = late.flatMap(({ numbers }) => numbers['firstHoldMs'] ?? []);
  if (waits.length === 0) return undefined;
  const spread = rankOf(waits, 75) - rankOf(waits, 25);
  if (spread > START_SPREAD_RATIO * medianOf(waits)) return undefined;
  return {
    word: 'holds',
    way: 'timer',
    confidence: sureness(late.length, verdicts.length),
    signs: [START_SIGN],
    signature: medians(late),
  };
}

/** Share of those that agree, with one more that might not. */
function sureness(agreeing: number, all: number): number {
  return Math.round((100 * agreeing) / (all + 1)) / 100;
}

function sharedSigns(verdicts: readonly HopVerdict[]): string[] {
  const counts = new Map<string, number>();
  for (const sign of verdicts.flatMap(({ signs }) => signs)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts].filter(([, seen]) => seen > SHARED_RATIO * verdicts.length).map(([sign]) => sign);
}

function medians(verdicts: readonly HopVerdict[]): Record<string, number> {
  const names = new Set(verdicts.flatMap(({ numbers }) => Object.keys(numbers)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = verdicts.flatMap(({ numbers }) => numbers[name] ?? []);
      return [name, medianOf(values)];
    }),
  );
}
