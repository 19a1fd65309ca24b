// A record against what was promised: one verdict an objective, and whether the exchange was good. Pure, and
// made of the record alone: the objectives stand in it as they were when the exchange was opened.
import { defined } from '../../measure/defined.ts';
import type { Figures } from '../../measure/figures.ts';
import { ascending } from '../../measure/percentile.ts';
import { replayStream } from '../../measure/replay.ts';
import type { Objective } from '../../record/objective.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { askedObjectives } from './asked.ts';
import { isDemand } from './demand.ts';
import { type Fate, fateOf } from './fate.ts';
import { KIND_RULES } from './kinds.ts';
import { type Subject, UNKNOWN } from './rule.ts';
import { scopeOf } from './scope.ts';
import type { Met, ObjectiveVerdict, SloVerdict } from './verdict.ts';

/** Undefined for what is no demand: nobody was promised anything. */
export function judgeSlo(record: StreamRecord, figures: Figures): SloVerdict | undefined {
  if (!isDemand(record)) return undefined;
  const fate = fateOf(record, figures);
  let gapsNs: readonly number[] | undefined;
  const subject: Subject = {
    record,
    figures,
    fate,
    gapsNs: () => (gapsNs ??= ascending(replayStream(record).gapsNs.received)),
  };
  const promised = record.class.objectives ?? [];
  const asked = askedObjectives(record.request.asked ?? {});
  const ofClass = judgeAll(promised, subject);
  const ofClient = judgeAll(asked, subject);
  // For goodput a client's own wish stands in the place of what its class is promised for the same figure.
  const replaced = new Set(asked.map(({ kind }) => kind));
  const counted = ofClass.filter(({ objective }) => !replaced.has(objective.kind));
  const hasPromise = promised.length + asked.length > 0;
  return {
    objectives: [...ofClass, ...ofClient].map(({ verdict }) => verdict),
    ...defined({
      good: hasPromise ? goodOf([...counted, ...ofClient].map(({ verdict }) => verdict.met)) : undefined,
      never: NEVER[fate],
    }),
  };
}

const NEVER: Readonly<Record<Fate, SloVerdict['never']>> = {
  whole: undefined,
  left: undefined,
  lost_before: 'first_token',
  lost_after: 'rest',
};

interface Judgement {
  readonly objective: Objective;
  readonly verdict: ObjectiveVerdict;
}

/** Verdicts of those that are for this exchange, or may be. */
function judgeAll(objectives: readonly Objective[], subject: Subject): Judgement[] {
  return objectives.flatMap((objective) => {
    const inScope = objective.scope === undefined ? 'in' : scopeOf(objective.scope, subject.record, subject.fate);
    if (inScope === 'out') return [];
    const judged = inScope === 'unknown' ? UNKNOWN : KIND_RULES[objective.kind](objective, subject);
    return judged === undefined ? [] : [{ objective, verdict: { name: objective.name, ...judged } }];
  });
}

/** Good is what kept all of it: what is not known to be kept is not good, and what had no say does not make it so. */
function goodOf(met: readonly Met[]): Met {
  if (met.includes('false')) return 'false';
  return met.length === 0 || met.includes('unknown') ? 'unknown' : 'true';
}
