// What was promised of each class against the whole run. What cannot be judged counts for neither side, and a share
// that so few requests cannot show is unknown. Pure but for its counts.
import type { Met, SloVerdict } from '../../judge/slo/verdict.ts';
import { defined } from '../../measure/defined.ts';
import type { Objective } from '../../record/objective.ts';
import type { ClassSpec } from '../../record/traffic-class.ts';
import type { LoadVerdict } from './result.ts';

/** Shares as whole parts of a million: 1 − 0.99 in binary fractions is a little more than 0.01. */
const MILLION = 1_000_000;

interface Counts {
  kept: number;
  missed: number;
  unknown: number;
}

export class Verdicts {
  readonly #specs: ReadonlyMap<string, ClassSpec>;
  readonly #counts = new Map<string, Counts>();

  constructor(specs: ReadonlyMap<string, ClassSpec>) {
    this.#specs = specs;
  }

  add(className: string, { objectives, never }: SloVerdict): void {
    for (const { name, met, gaps } of objectives) {
      const counts = this.#countsOf(className, name);
      if (gaps === undefined) counts[met === 'true' ? 'kept' : met === 'false' ? 'missed' : 'unknown'] += 1;
      else {
        counts.kept += gaps.within;
        // A stream that broke off has one more gap, and it never ended.
        counts.missed += gaps.beyond + (never === undefined ? 0 : 1);
        counts.unknown += gaps.unknown;
      }
    }
  }

  /** Due, and never sent: it keeps nothing. */
  addUnsent(className: string): void {
    for (const { name } of this.#specs.get(className)?.objectives ?? []) this.#countsOf(className, name).missed += 1;
  }

  read(classNames: readonly string[]): LoadVerdict[] {
    return classNames.flatMap((className) =>
      (this.#specs.get(className)?.objectives ?? []).map((objective) => this.#verdict(className, objective)),
    );
  }

  #verdict(className: string, objective: Objective): LoadVerdict {
    const { kept, missed, unknown } = this.#countsOf(className, objective.name);
    return {
      class: className,
      objective: objective.name,
      kind: objective.kind,
      ...defined({ limitNs: objective.limitNs }),
      target: objective.target,
      met: verdictOf({ kept, missed, unknown }, objective.target),
      of: objective.kind === 'gap_pooled' ? 'gaps' : 'exchanges',
      keptCount: kept,
      missedCount: missed,
      unknownCount: unknown,
    };
  }

  #countsOf(className: string, objective: string): Counts {
    const key = `${className} ${objective}`;
    let counts = this.#counts.get(key);
    if (counts === undefined) this.#counts.set(key, (counts = { kept: 0, missed: 0, unknown: 0 }));
    return counts;
  }
}

/** Whatever those that are not known came to, and by nearest rank: p99 of fewer than 100 is their worst one. */
export function verdictOf({ kept, missed, unknown }: Readonly<Counts>, target: number): Met {
  const count = kept + missed + unknown;
  const mayMissParts = MILLION - Math.round(target * MILLION);
  const allows = (missedCount: number, ofCount: number): boolean => missedCount * MILLION <= mayMissParts * ofCount;
  // So many must there be that one of them may miss it.
  const leastCount = mayMissParts === 0 ? 1 : Math.ceil(MILLION / mayMissParts);
  if (!allows(missed, Math.max(count, leastCount))) return 'false';
  return count >= leastCount && allows(missed + unknown, count) ? 'true' : 'unknown';
}

/** Of all together: one that was missed is enough, and one that is not known leaves it open. */
export function wholeVerdict(verdicts: readonly LoadVerdict[]): Met | undefined {
  if (verdicts.length === 0) return undefined;
  if (verdicts.some(({ met }) => met === 'false')) return 'false';
  return verdicts.some(({ met }) => met === 'unknown') ? 'unknown' : 'true';
}
