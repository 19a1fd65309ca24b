// Tables in a terminal: columns of fixed width of which the least important go first when there is no room, and one
// that takes what is left over. Knows nothing of what stands in them.
import type { Paint, Style } from './paint.ts';
import { type Align, fit } from './text.ts';

export interface Place {
  readonly width: number;
  /** Takes what is left over, up to this width. */
  readonly mostWidth?: number;
  readonly align: Align;
  /** The greater, the sooner it is left out. */
  readonly rank: number;
}

export interface Column<Row> {
  readonly title: string;
  readonly place: Place;
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => Style;
  /** In place of `cell` for what is a picture: exactly so many columns, colours included. */
  readonly draw?: (row: Row, width: number, paint: Paint) => string;
}

const BETWEEN = ' ';

/** A column and the width that it came to. */
interface Laid<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

/** The head and a line for each row; none is wider than `width`. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): string[] {
  const shown = grown(fitting(columns, width), width);
  const head = shown.map((laid) => fit(laid.column.title, laid.width, laid.column.place.align)).join(BETWEEN);
  return [
    paint('dim', head.trimEnd()),
    ...rows.map((row) =>
      shown
        .map((laid) => drawCell(laid, row, paint))
        .join(BETWEEN)
        .trimEnd(),
    ),
  ];
}

function drawCell<Row>({ column, width }: Laid<Row>, row: Row, paint: Paint): string {
  if (column.draw !== undefined) return column.draw(row, width, paint);
  return paint(column.style?.(row) ?? 'plain', fit(column.cell(row), width, column.place.align));
}

/** As many as fit; the last one is cut to the room there is. */
function fitting<Row>(columns: readonly Column<Row>[], width: number): Laid<Row>[] {
  let kept = columns.map((column): Laid<Row> => ({ column, width: Math.min(column.place.width, width) }));
  while (kept.length > 1 && totalOf(kept) > width) {
    const least = Math.max(...kept.map(({ column }) => column.place.rank));
    const at = kept.findLastIndex(({ column }) => column.place.rank === least);
    kept = kept.filter((_, index) => index !== at);
  }
  return kept;
}

/** Room that is left goes to the last columns first: what stands there is read, and the first one is a picture. */
function grown<Row>(laid: readonly Laid<Row>[], width: number): Laid<Row>[] {
  let room = Math.max(0, width - totalOf(laid));
  const wider = laid.toReversed().map(({ column, width: own }) => {
    const more = Math.min(room, Math.max(0, (column.place.mostWidth ?? own) - own));
    room -= more;
    return { column, width: own + more };
  });
  return wider.toReversed();
}

function totalOf(laid: readonly { readonly width: number }[]): number {
  return laid.reduce((sum, { width }) => sum + width, 0) + BETWEEN.length * Math.max(0, laid.length - 1);
}
