// The section of streams: those in flight and those that ended lately, each a strip of its chunks; sorted, filtered,
// and held still on demand. Must not know where the streams come from.
import { useMemo, useState } from 'preact/hooks';
import type { LiveModel } from '../../telemetry/live/model.ts';
import { count, span } from '../format.ts';
import { Choice } from '../shell/choice.tsx';
import '../style/streams.css';
import { chooseRows, sortRows, type SortKey, type StreamFilter } from './streams-choice.ts';
import { Filters } from './streams-filters.tsx';
import { StreamsList } from './streams-list.tsx';
import { streamRows, type StreamRow } from './streams-row.ts';

export interface StreamsProps {
  readonly model: LiveModel;
  readonly className: string | undefined;
}

const SORTS: readonly { readonly key: SortKey; readonly title: string }[] = [
  { key: 'flight', title: 'in flight longest' },
  { key: 'silence', title: 'silence' },
  { key: 'gap', title: 'worst gap' },
  { key: 'stalls', title: 'stalls' },
  { key: 'age', title: 'age' },
  { key: 'chunks', title: 'chunks' },
  { key: 'ttft', title: 'TTFT' },
];

/** Parts of the feed's own length that strips can be drawn for: short answers are dots in half a minute. */
const ZOOMS = [1, 3, 10];

export function StreamsView({ model, className }: StreamsProps) {
  const [held, setHeld] = useState<LiveModel | undefined>(undefined);
  const [filter, setFilter] = useState<StreamFilter>({});
  const [{ sort, isUpward }, setSort] = useState<{ sort: SortKey; isUpward: boolean }>({
    sort: 'flight',
    isUpward: false,
  });
  const shown = held ?? model;
  const all = useMemo(() => streamRows(shown), [shown]);
  const rows = useMemo(
    () => sortRows(chooseRows(all, { ...filter, className }), sort, isUpward),
    [all, filter, className, sort, isUpward],
  );
  const [zoom, setZoom] = useState(1);
  const { binMs, stripMs } = shown.about;
  const time = { atEpochMs: shown.atEpochMs, binMs, stripMs: stripMs / zoom };
  const onSort = (key: SortKey): void => setSort({ sort: key, isUpward: key === sort ? !isUpward : false });
  return (
    <div class="streams">
      <div class="streams-tools">
        <Filters rows={all} filter={filter} onFilter={setFilter} />
        <Choice
          label="sort by"
          value={sort}
          onChange={(key) => setSort({ sort: (key ?? 'flight') as SortKey, isUpward: false })}
        >
          {SORTS.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </Choice>
        <button
          type="button"
          aria-label={`Order: ${isUpward ? 'turned round' : 'as usual'}`}
          onClick={() => setSort({ sort, isUpward: !isUpward })}
        >
          <span aria-hidden="true">{isUpward ? '↑' : '↓'}</span>
        </button>
        <Choice label="strips of" value={String(zoom)} onChange={(value) => setZoom(Number(value ?? 1))}>
          {ZOOMS.map((factor) => (
            <option key={factor} value={factor}>
              {span(stripMs / factor)}
            </option>
          ))}
        </Choice>
        <button
          type="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held === undefined ? model : undefined)}
        >
          {held === undefined ? 'Hold the picture' : 'Held: go on'}
        </button>
        <Counts model={shown} rows={rows} />
      </div>
      {rows.length === 0 ? (
        <p class="empty">{emptyWords(all, filter, className)}</p>
      ) : (
        <StreamsList rows={rows} time={time} sort={sort} isUpward={isUpward} onSort={onSort} />
      )}
    </div>
  );
}

function emptyWords(all: readonly StreamRow[], filter: StreamFilter, className: string | undefined): string {
  if (all.length === 0) return 'No stream is in flight, and none ended lately. The next one appears here as it begins.';
  const isFiltered = className !== undefined || Object.values(filter).some((value) => value !== undefined);
  return isFiltered ? `None of ${count(all.length)} streams passes the filters.` : 'No stream is listed.';
}

/** More may be open than a beat lists: what is not shown must be said. */
function Counts({ model, rows }: { readonly model: LiveModel; readonly rows: readonly StreamRow[] }) {
  const openCount = rows.filter(({ isOpen }) => isOpen).length;
  const unlisted = model.openCount - model.open.length;
  return (
    <p class="streams-counts">
      <b data-figure="streams.open">{count(model.openCount)}</b> in flight
      {unlisted > 0 && `, of which ${count(unlisted)} are not listed`}; shown are {count(openCount)} of them and{' '}
      {count(rows.length - openCount)} that ended
    </p>
  );
}
