// The rows of the list of streams: those in sight, each with its strip, its figures and a link to the exchange.
// Decides neither which streams there are nor their order.
import { useRef, useState } from 'preact/hooks';
import { tellingStall } from '../../telemetry/live/model.ts';
import { DARK } from '../charts/colors.ts';
import { clock, count, ms, span, word } from '../format.ts';
import { NARROW, useMedia } from '../shell/use-media.ts';
import { StripCanvas, type StripCanvasProps } from './strip-canvas.tsx';
import { causeWord, stripWords } from './strip-picture.ts';
import type { SortKey } from './streams-choice.ts';
import type { StreamRow } from './streams-row.ts';
import { useWindow } from './virtual-list.ts';

/** As in streams.css. */
const ROW_PX = 38;
const NARROW_ROW_PX = 86;

/** What all strips have in common. */
export type StripTime = Pick<StripCanvasProps, 'atEpochMs' | 'binMs' | 'stripMs'>;

export interface StreamsListProps {
  readonly rows: readonly StreamRow[];
  readonly time: StripTime;
  readonly sort: SortKey;
  readonly isUpward: boolean;
  readonly onSort: (key: SortKey) => void;
}

const COLUMNS: readonly { readonly title: string; readonly name: string; readonly key?: SortKey }[] = [
  { title: 'chunks', name: 'strip' },
  { title: 'exchange', name: 'id', key: 'flight' },
  { title: 'class', name: 'class' },
  { title: 'model', name: 'model' },
  { title: 'state', name: 'word' },
  { title: 'age', name: 'age', key: 'age' },
  { title: 'chunks', name: 'chunks', key: 'chunks' },
  { title: 'TTFT', name: 'ttft', key: 'ttft' },
  { title: 'worst gap', name: 'gap', key: 'gap' },
  { title: 'silence', name: 'silence', key: 'silence' },
  { title: 'stalls', name: 'stalls', key: 'stalls' },
];
const NS_PER_MS = 1e6;
const FIGURE_NAMES = new Set(['age', 'chunks', 'ttft', 'gap', 'silence']);

export function StreamsList({ rows, time, sort, isUpward, onSort }: StreamsListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia(NARROW);
  const isDark = useMedia(DARK);
  const [focusedId, setFocusedId] = useState<string | undefined>(undefined);
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const { fromRow, toRow } = useWindow(scroller, rowPx, rows.length);
  const shown = rows.slice(fromRow, toRow).map((row, offset) => ({ row, index: fromRow + offset }));
  // The row that has the focus stays, wherever it moves to: the keyboard must not lose its place.
  const focusedAt = focusedId === undefined ? -1 : rows.findIndex(({ id }) => id === focusedId);
  const focused = rows[focusedAt];
  if (focused !== undefined && (focusedAt < fromRow || focusedAt >= toRow))
    shown.push({ row: focused, index: focusedAt });
  return (
    <div class="streams-table" role="table" aria-label="Streams" aria-rowcount={rows.length + 1}>
      <div class="streams-header" role="row" aria-rowindex={1}>
        {COLUMNS.map(({ title, name, key }) => (
          <span
            key={name}
            role="columnheader"
            class={`cell-${name}${FIGURE_NAMES.has(name) ? ' n' : ''}`}
            {...(key === sort && { 'aria-sort': isUpward ? ('ascending' as const) : ('descending' as const) })}
          >
            {key === undefined ? (
              title
            ) : (
              <button type="button" class="sort" onClick={() => onSort(key)}>
                {title}
                <span aria-hidden="true">{key === sort ? (isUpward ? ' ↑' : ' ↓') : ''}</span>
              </button>
            )}
          </span>
        ))}
      </div>
      <div
        class="streams-scroller"
        role="rowgroup"
        ref={scroller}
        tabIndex={0}
        aria-label="Rows of the list of streams"
      >
        <div class="streams-space" role="presentation" style={{ height: `${rows.length * rowPx}px` }}>
          {shown.map(({ row, index }) => (
            <div
              key={row.id}
              class="streams-row"
              role="row"
              aria-rowindex={index + 2}
              data-stream={row.id}
              style={{ transform: `translateY(${index * rowPx}px)` }}
              onFocusCapture={() => setFocusedId(row.id)}
              onBlurCapture={() => setFocusedId(undefined)}
            >
              <Cells row={row} time={time} isDark={isDark} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

interface CellsProps {
  readonly row: StreamRow;
  readonly time: StripTime;
  readonly isDark: boolean;
}

function Cells({ row, time, isDark }: CellsProps) {
  const says = stripWords(row);
  const stall = tellingStall(row);
  return (
    <>
      <span role="cell" class="cell-strip" title={says}>
        <StripCanvas row={row} {...time} isDark={isDark} />
        {row.untilEpochMs < time.atEpochMs - time.stripMs && (
          <span class="strip-past">ended {clock(row.untilEpochMs)}</span>
        )}
        <span class="sr-only">{says}</span>
      </span>
      <span role="cell" class="cell-id">
        <a href={`#/stream/${encodeURIComponent(row.id)}`} aria-label={`Open exchange ${row.id}`}>
          {row.id}
        </a>
      </span>
      <span role="cell" class="cell-class">
        {row.class}
      </span>
      <span role="cell" class="cell-model" title={row.model}>
        {row.model}
      </span>
      <span role="cell" class="cell-word">
        <span class={`tag ${row.tone}`}>{word(row.word)}</span>
        {row.edge !== undefined && <span class="note"> before {row.edge}</span>}
      </span>
      <span role="cell" class="cell-age n">
        {span(row.ageMs)}
      </span>
      <span role="cell" class="cell-chunks n">
        {count(row.chunkCount)}
      </span>
      <span role="cell" class="cell-ttft n">
        {lengthMs(row.ttftMs)}
      </span>
      <span role="cell" class="cell-gap n">
        {lengthMs(row.gapMaxMs)}
      </span>
      <span role="cell" class="cell-silence n">
        {span(row.silentMs)}
      </span>
      <span role="cell" class="cell-stalls">
        {row.stallCount > 0 && (
          <>
            <b>{count(row.stallCount)}</b> {stall !== undefined && causeWord(stall)}
          </>
        )}
        {row.delivery !== undefined && row.delivery.startsWith('holds') && (
          <span class="tag warn">{word(row.delivery)}</span>
        )}
      </span>
    </>
  );
}

/** With as many digits as the figures of the other sections have. */
function lengthMs(value: number | undefined): string {
  return ms(value === undefined ? undefined : value * NS_PER_MS);
}
