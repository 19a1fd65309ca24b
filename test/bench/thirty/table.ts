// One table of all that was found, and the verdicts by which the bench exits.
import type { BenchResult } from '../harness/report.ts';
import { short } from '../harness/stats.ts';
import { isMet, type Finding } from './finding.ts';

/** A finding with the load average of the machine when it was made. */
export interface Made extends Finding {
  readonly load: number;
}

const figure = (value: number | undefined): string => (value === undefined ? '' : short(value));

/** For those who wait. */
export function lineOf({ what, value, target, unit, note = '' }: Finding): string {
  return `  ${what}: ${short(value)} ≤ ${short(target)} ${unit}; ${note}`;
}

export function resultOf(made: readonly Made[]): BenchResult {
  return {
    name: 'thirty',
    tables: [
      {
        title: 'The thirty tests: what is demanded and what was found',
        head: ['test', 'figure', 'demanded', 'found', 'bare pipe', 'direct', 'verdict', 'load', 'more'],
        rows: made.map((each) => [
          each.id,
          each.what,
          `≤ ${short(each.target)} ${each.unit}`,
          short(each.value),
          figure(each.pipe),
          figure(each.direct),
          isMet(each) ? 'PASS' : 'MISS',
          short(each.load),
          each.note ?? '',
        ]),
      },
    ],
    verdicts: made.map(({ id, what, value, target, unit }) => ({ what: `${id} ${what}`, value, target, unit })),
    figures: made,
  };
}
