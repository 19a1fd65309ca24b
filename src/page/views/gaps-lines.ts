// Which lengths gaps are held against in a picture: the objectives about gaps, the least length of a stall, and the
// floor of the hardware. Pure.
import type { FloorState } from '../../judge/floor/live.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import type { HeatLine } from '../charts/heatmap-draw.ts';
import { span, word } from '../format.ts';

/** More lines than these hide what they are drawn over. */
const LINES_MAX_COUNT = 8;
const NS_PER_MS = 1e6;
const GAP_KINDS = new Set(['gap_max', 'gap_percentile', 'gap_pooled']);

export interface GapLinesAsk {
  readonly stallMs: Readonly<Record<string, number>>;
  readonly classes: readonly ClassSummary[];
  readonly floors: readonly FloorState[];
  /** Absent: of all classes; what is the same in several of them is one line. */
  readonly className: string | undefined;
}

export function gapLines({ stallMs, classes, floors, className }: GapLinesAsk): HeatLine[] {
  const chosen = classes.filter((each) => className === undefined || each.class === className);
  const objectives = chosen.flatMap((each) =>
    each.objectives.flatMap(({ objective, kind, limitNs }) =>
      limitNs === undefined || kind === undefined || !GAP_KINDS.has(kind)
        ? []
        : [{ lengthNs: limitNs, name: word(objective), color: '--accent' }],
    ),
  );
  const stalls = chosen.flatMap((each) => {
    const limitMs = stallMs[each.class];
    return limitMs === undefined ? [] : [{ lengthNs: limitMs * NS_PER_MS, name: 'stall from', color: '--bad' }];
  });
  const allowed = floors.flatMap(({ floorNs, hardware }) =>
    floorNs === undefined ? [] : [{ lengthNs: floorNs, name: `floor of ${hardware}`, color: '--good' }],
  );
  const all = [...allowed, ...objectives, ...stalls];
  const different = all.filter(
    (line, index) => all.findIndex((each) => each.lengthNs === line.lengthNs && each.name === line.name) === index,
  );
  return different
    .slice(0, LINES_MAX_COUNT)
    .map(({ lengthNs, name, color }) => ({ lengthNs, label: `${name} ${span(lengthNs / NS_PER_MS)}`, color }));
}
