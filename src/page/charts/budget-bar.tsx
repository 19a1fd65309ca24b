// What is left of a budget for misses, as a bar from the middle: to the right what is left, to the left by how much
// more was missed than the target allows.
import { percent, UNKNOWN } from '../format.ts';

export interface BudgetBarProps {
  /** 1 is all of it; below 0 it is overspent. Absent: nothing could be judged. */
  readonly leftRatio: number | undefined;
}

export function BudgetBar({ leftRatio }: BudgetBarProps) {
  if (leftRatio === undefined) return <span class="budget">{UNKNOWN}</span>;
  const isSpent = leftRatio < 0;
  const widthPercent = Math.min(1, Math.abs(leftRatio)) * 50;
  return (
    <span class={`budget ${isSpent ? 'budget-spent' : 'budget-left'}`}>
      <span class="budget-track" aria-hidden="true">
        <i style={{ width: `${widthPercent}%`, left: isSpent ? `${50 - widthPercent}%` : '50%' }} />
      </span>
      <span class="n">{isSpent ? `overspent by ${percent(-leftRatio)}` : percent(leftRatio)}</span>
    </span>
  );
}
