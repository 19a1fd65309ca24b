// All rules, in the order in which their groups build on each other. A new group is one file and one line here.
import type { ClassSpec } from '../../record/traffic-class.ts';
import { engineGroup } from './engine.ts';
import { goodputGroup } from './goodput.ts';
import { jobGroup } from './jobs.ts';
import { latencyGroup } from './latency.ts';
import { objectiveGroup } from './objectives.ts';
import type { RuleGroup } from './rule.ts';
import { selfGroup } from './self.ts';
import { stallGroup } from './stalls.ts';

export function ruleGroups(classes: readonly ClassSpec[]): readonly RuleGroup[] {
  return [objectiveGroup(classes), goodputGroup, latencyGroup, stallGroup, engineGroup, jobGroup, selfGroup];
}
