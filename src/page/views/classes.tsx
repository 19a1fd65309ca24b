// The section of classes: how long the first token takes and what that is made of, and how even the stream is.
import type { ClassSummary } from '../../telemetry/summary.ts';
import { msNumber } from '../format.ts';

export interface ClassesProps {
  readonly classes: readonly ClassSummary[];
}

export function ClassesView({ classes }: ClassesProps) {
  return (
    <ul>
      {classes.map((each) => (
        <li key={each.class}>
          {each.class} <span data-figure="class.ttft.p50">{msNumber(each.ttft?.p50Ns)}</span>
        </li>
      ))}
    </ul>
  );
}
