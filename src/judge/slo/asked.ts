// What a client asked for by header, as objectives of its one exchange.
import { ASKED_NAMES, type AskedObjectives, type Objective, type ObjectiveKind } from '../../record/objective.ts';

/** One exchange has no share; the figure is there because every objective has one. */
const ALONE = 1;

export function askedObjectives({ ttftNs, tpotNs, gapNs }: AskedObjectives): Objective[] {
  return [
    ...asked(ASKED_NAMES.ttft, 'ttft', ttftNs),
    ...asked(ASKED_NAMES.tpot, 'tpot', tpotNs),
    ...asked(ASKED_NAMES.gap, 'gap_max', gapNs),
  ];
}

function asked(name: string, kind: ObjectiveKind, limitNs: number | undefined): Objective[] {
  return limitNs === undefined ? [] : [{ name, kind, limitNs, target: ALONE }];
}
