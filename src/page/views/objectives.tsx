// The section of objectives: what was promised, what was kept, and how much of the budget for misses is left.
import type { ClassSummary } from '../../telemetry/summary.ts';

export interface ObjectivesProps {
  readonly classes: readonly ClassSummary[];
}

export function ObjectivesView({ classes }: ObjectivesProps) {
  return <p>{classes.reduce((sum, { objectives }) => sum + objectives.length, 0)} objectives.</p>;
}
