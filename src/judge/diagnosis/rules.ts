// The diagnosis of one engine over the last minutes: what moved, the shape of its gaps, ranked causes with numbers,
// and what to do in which order. A further rule is one file and one line here. Pure.
import type { DiagnosisFacts } from './facts.ts';
import { DIAGNOSES, type Diagnosis, type Finding } from './finding.ts';
import { findDownstream } from './downstream.ts';
import { findGrowth } from './growth.ts';
import { findHost } from './host.ts';
import { findInterference } from './interference.ts';
import { findKvPressure, findPreemption } from './memory.ts';
import { movedOf } from './moved.ts';
import { playbookFor } from './playbook.ts';
import { findQueueing } from './queueing.ts';
import { percent, spoken, viewOf, type DiagnosisView } from './view.ts';

const RULES: readonly ((view: DiagnosisView) => Finding | undefined)[] = [
  findInterference,
  findPreemption,
  findKvPressure,
  findGrowth,
  findQueueing,
  findHost,
  findDownstream,
];

/** Above this share of slow gaps the p99 gap is one of them. */
const CLIFF_RATIO = 0.01;

export function diagnose(facts: DiagnosisFacts): Diagnosis {
  const view = viewOf(facts);
  const { shape } = view;
  const findings = RULES.flatMap((rule) => rule(view) ?? []).toSorted(
    (a, b) => b.weight - a.weight || DIAGNOSES.indexOf(a.cause) - DIAGNOSES.indexOf(b.cause),
  );
  const { moved, says } = movedOf(facts);
  return {
    route: facts.route,
    moved,
    ...(shape !== undefined && { shape, p99Side: shape.slowRatio >= CLIFF_RATIO ? 'slow' : 'usual' }),
    findings,
    playbook: playbookFor(findings),
    says: [says, ...shapeWords(view)],
  };
}

function shapeWords({ shape, facts }: DiagnosisView): string[] {
  if (shape === undefined) return ['Too few gaps came to have a shape.'];
  const modes = shape.modes.map(({ atNs, weightRatio }) => `${spoken(atNs)} (${percent(weightRatio)})`).join(', ');
  const words = [
    shape.modes.length === 1 ? `Gaps have one mode, at ${modes}.` : `Gaps have ${shape.modes.length} modes: ${modes}.`,
  ];
  if (shape.slowRatio > 0) {
    words.push(
      shape.slowRatio >= CLIFF_RATIO
        ? `${percent(shape.slowRatio)} of gaps are slow ones, so the p99 gap is one of them: fewer of them would move it at once.`
        : `${percent(shape.slowRatio)} of gaps are slow ones, so the p99 gap is still a usual one; at 1 % it will jump.`,
    );
  }
  if (facts.floorNs !== undefined) {
    words.push(`The usual gap is ${(shape.main.atNs / facts.floorNs).toFixed(1)} times what the hardware allows.`);
  }
  return words;
}
