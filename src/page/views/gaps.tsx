// The section of gaps: how long readers wait between two pieces of text, over time and as a distribution.
import type { FloorState } from '../../judge/floor/live.ts';
import type { GapColumn, GapHistogram, LiveAbout } from '../../telemetry/live/frame.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';

/** What the picture needs to know of the feed; a report has it of the recorded time. */
export type GapsAbout = Pick<LiveAbout, 'columnMs' | 'columnsMaxCount' | 'gapEdgesNs' | 'stallMs'>;

export interface GapsProps {
  readonly about: GapsAbout;
  readonly columns: readonly GapColumn[];
  readonly histograms: readonly GapHistogram[];
  readonly classes: readonly ClassSummary[];
  readonly floors: readonly FloorState[];
  /** Absent: all classes together. */
  readonly className?: string | undefined;
}

export function GapsView({ columns, className }: GapsProps) {
  return (
    <p>
      {columns.length} columns of {className ?? 'all classes'}.
    </p>
  );
}
