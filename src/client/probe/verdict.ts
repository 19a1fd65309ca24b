// One verdict over several streams of a probe. Two points know more than one; a hop is accused when most streams
// that could be judged were held, and cleared when none was and most passed.
import { defined } from '../../measure/defined.ts';
import type { DeliveryVerdict, DeliveryWord, HopVerdict } from '../../judge/delivery/verdict.ts';
import { curesFor } from '../../judge/hop/cures.ts';
import { mostCommon } from '../../judge/rank.ts';
import type { ProbeStream, ProbeVerdict } from './result.ts';

const HELD_LEAST_RATIO = 2 / 3;

export function verdictOver(streams: readonly ProbeStream[]): ProbeVerdict | undefined {
  const pairs = streams.flatMap(({ hop }) => (hop === undefined ? [] : [hop]));
  const points = pairs.length > 0 ? 2 : 1;
  const opinions: readonly (DeliveryVerdict | HopVerdict)[] =
    points === 2 ? pairs : streams.flatMap(({ delivery }) => (delivery === undefined ? [] : [delivery]));
  if (opinions.length === 0) return undefined;
  const word = wordOf(opinions);
  const same = opinions.filter((opinion) => opinion.word === word);
  const way = word === 'holds' ? mostCommon(same.flatMap((opinion) => opinion.way ?? [])) : undefined;
  const products = streams.flatMap(({ hopSigns }) => hopSigns?.products ?? []);
  return {
    word,
    ...defined({ way }),
    confidence: Math.min(1, ...same.map(({ confidence }) => confidence)),
    points,
    cures: way === undefined ? [] : curesFor(way, [...new Set(products)]),
  };
}

function wordOf(opinions: readonly { readonly word: DeliveryWord }[]): DeliveryWord {
  const countOf = (word: DeliveryWord): number => opinions.filter((opinion) => opinion.word === word).length;
  const heldCount = countOf('holds');
  const passedCount = countOf('passes');
  if (heldCount > 0 && heldCount >= (heldCount + passedCount) * HELD_LEAST_RATIO) return 'holds';
  return heldCount === 0 && passedCount * 2 >= opinions.length ? 'passes' : 'unsure';
}
