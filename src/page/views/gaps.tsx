// The section of gaps: how long readers wait between two pieces of text, over time and as a distribution, beside what
// was promised, what counts as a stall, and what the hardware allows.
import { useMemo } from 'preact/hooks';
import type { FloorState } from '../../judge/floor/live.ts';
import type { GapColumn, GapHistogram, LiveAbout } from '../../telemetry/live/frame.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import { heatGrid, gridWords } from '../charts/heatmap-data.ts';
import { Heatmap } from '../charts/heatmap.tsx';
import { Histogram, histogramWords } from '../charts/histogram.tsx';
import type { MarkLine } from '../charts/marks.ts';
import { count, counted } from '../format.ts';
import { gapLines } from './gaps-lines.ts';
import { GapsTable } from './gaps-table.tsx';

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

const HEATMAP_PX = 240;
const HISTOGRAM_PX = 180;
const NS_PER_MS = 1e6;
const HEAT_LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export function GapsView({ about, columns, histograms, classes, floors, className }: GapsProps) {
  const lines = useMemo(
    () => gapLines({ stallMs: about.stallMs, classes, floors, className }),
    [about, classes, floors, className],
  );
  const grid = useMemo(() => {
    const { gapEdgesNs: edgesNs, columnMs, columnsMaxCount } = about;
    const linesNs = lines.map(({ lengthNs }) => lengthNs);
    return heatGrid({ columns, edgesNs, columnMs, columnsMaxCount, className, linesNs });
  }, [about, columns, lines, className]);
  const shown = histograms.filter((each) => className === undefined || each.class === className);
  // A class whose answers come in one piece has none, and its empty picture would be as large as a full one.
  const [filled, empty] = [shown.filter((each) => each.count > 0), shown.filter((each) => each.count === 0)];
  if (grid === undefined && filled.length === 0) {
    return (
      <p class="empty">
        No gaps yet. A gap is the time between two reads with generated text: the second piece of text brings the first.
      </p>
    );
  }
  return (
    <div class="gaps">
      {grid === undefined ? (
        <p class="empty">No gap ended in the time that is remembered.</p>
      ) : (
        <figure>
          <Heatmap grid={grid} lines={lines} heightPx={HEATMAP_PX} />
          <figcaption class="heat-foot">
            <span>Gaps as received, {className === undefined ? 'all classes' : className}.</span>
            <HeatScale mostCount={grid.mostCount} />
          </figcaption>
        </figure>
      )}
      <div class="histograms">
        {filled.map((histogram) => (
          <HistogramFigure
            key={histogram.class}
            histogram={histogram}
            stallMs={about.stallMs}
            {...{ classes, floors }}
          />
        ))}
      </div>
      {filled.length < shown.length && (
        <p class="note">Without a gap so far: {empty.map((each) => each.class).join(', ')}.</p>
      )}
      <details>
        <summary>The same as text</summary>
        {grid === undefined ? undefined : <p>{gridWords(grid)}</p>}
        <GapsTable histograms={shown} classes={classes} />
      </details>
    </div>
  );
}

/** What the colours stand for. They go by the logarithm, so that a single gap beside thousands can be seen. */
function HeatScale({ mostCount }: { readonly mostCount: number }) {
  return (
    <span class="heat-scale">
      <span>1 gap</span>
      {HEAT_LEVELS.map((level) => (
        <i key={level} style={{ background: `var(--heat-${level})` }} />
      ))}
      <span>{count(mostCount)} in a cell</span>
    </span>
  );
}

interface HistogramFigureProps {
  readonly histogram: GapHistogram;
  readonly stallMs: GapsAbout['stallMs'];
  readonly classes: readonly ClassSummary[];
  readonly floors: readonly FloorState[];
}

function HistogramFigure({ histogram, stallMs, classes, floors }: HistogramFigureProps) {
  const lines = gapLines({ stallMs, classes, floors, className: histogram.class });
  const marks: MarkLine[] = [
    ...lines.map(({ lengthNs, label, color }) => ({ at: lengthNs / NS_PER_MS, label, color, dash: [5, 3] })),
    ...(histogram.shape?.modes ?? []).map(({ atNs }, index) => ({
      at: atNs / NS_PER_MS,
      label: `mode ${index + 1}`,
      color: '--muted',
      dash: [1, 3],
    })),
  ];
  return (
    <figure>
      <h3>
        {histogram.class} <small>{counted(histogram.count, 'gap', 'gaps')}</small>
      </h3>
      <Histogram histogram={histogram} lines={marks} heightPx={HISTOGRAM_PX} />
      <figcaption>{histogramWords(histogram)}</figcaption>
    </figure>
  );
}
