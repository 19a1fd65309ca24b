// Classes as lines: a table of their figures, and a bar for the very exchange at a percentile of TTFT, in its parts.
import type { ClassSummary } from '../../telemetry/summary.ts';
import { ABSENT, showCount } from '../spread.ts';
import type { Style } from './paint.ts';
import type { Picture } from './picture.ts';
import { type Column, tableLines } from './table.ts';
import { cut, fit, msText, percentText, widthOf } from './text.ts';

/** Classes that are told at once; more would push the streams off the screen. */
export const CLASSES_MAX_COUNT = 8;

const COLUMNS: readonly Column<ClassSummary>[] = [
  { title: 'class', place: { width: 11, align: 'left', rank: 0, mostWidth: 20 }, cell: (each) => each.class },
  count('exchanges', 9, 1, ({ exchangeCount }) => exchangeCount),
  {
    title: 'ok',
    place: { width: 6, align: 'right', rank: 3 },
    cell: (each) => percentText(okRatio(each)).replace(' ', ''),
  },
  length('TTFT p50', 9, 2, ({ ttft }) => ttft?.p50Ns),
  length('p95', 8, 5, ({ ttft }) => ttft?.p95Ns),
  length('p99', 8, 4, ({ ttft }) => ttft?.p99Ns),
  length('gap p50', 7, 7, ({ gap }) => gap?.p50Ns),
  length('gap p99', 7, 3, ({ gap }) => gap?.p99Ns),
  length('worst', 8, 6, ({ worst }) => worst?.gapMaxNs),
  {
    ...count('stalls', 6, 2, ({ stallCount }) => stallCount),
    style: ({ stallCount }) => (stallCount > 0 ? 'warn' : 'plain'),
  },
  {
    title: 'kept',
    place: { width: 6, align: 'right', rank: 8 },
    cell: (each) => percentText(keptRatio(each)).replace(' ', ''),
    style: (each) => keptStyle(each),
  },
];

function length(
  title: string,
  width: number,
  rank: number,
  of: (each: ClassSummary) => number | undefined,
): Column<ClassSummary> {
  return { title, place: { width, align: 'right', rank }, cell: (each) => msText(of(each)) };
}

function count(title: string, width: number, rank: number, of: (each: ClassSummary) => number): Column<ClassSummary> {
  return { title, place: { width, align: 'right', rank }, cell: (each) => showCount(of(each)) };
}

function okRatio({ outcomeCounts, exchangeCount }: ClassSummary): number | undefined {
  return exchangeCount === 0 ? undefined : (outcomeCounts.ok ?? 0) / exchangeCount;
}

/** Exchanges that kept every objective, of those that were promised one, lately. */
function keptRatio({ goodput }: ClassSummary): number | undefined {
  const { goodExchangeCount = 0, demandExchangeCount = 0 } = goodput?.window ?? {};
  return demandExchangeCount === 0 ? undefined : goodExchangeCount / demandExchangeCount;
}

/** A class whose budget is spent, for any of its objectives, is in trouble. */
function keptStyle({ objectives }: ClassSummary): Style {
  const left = objectives.flatMap(({ window }) => window.budgetLeftRatio ?? []);
  if (left.length === 0) return 'plain';
  return Math.min(...left) < 0 ? 'bad' : 'good';
}

export function chosenClasses({ view, choices }: Picture): ClassSummary[] {
  const classes = view.state?.classes ?? [];
  return classes.filter((each) => choices.class === undefined || each.class === choices.class);
}

export function classLines(picture: Picture): string[] {
  const { view, width, paint } = picture;
  const classes = chosenClasses(picture);
  if (view.state === undefined) return [];
  if (classes.length === 0)
    return [paint('dim', cut('No exchange has passed yet. Send a request to the port that clients use.', width))];
  const lines = tableLines(COLUMNS, classes.slice(0, CLASSES_MAX_COUNT), width, paint);
  const more = classes.length - CLASSES_MAX_COUNT;
  return more > 0 ? [...lines, paint('dim', cut(`and ${more} more; "c" shows one at a time`, width))] : lines;
}

const PERCENTILES = ['p99', 'p95', 'p50'] as const;
const PART_LETTERS: Readonly<Record<string, string>> = {
  queue: 'Q',
  prefill: 'P',
  network: 'n',
  rubato: 'r',
  other: 'o',
  engine: 'E',
};
const BAR_LEAST = 10;
const BAR_MOST = 40;

/** One line a class: lengths of the parts of one exchange, which sum to its TTFT, as a bar and as text. */
export function ttftLines(picture: Picture): string[] {
  return chosenClasses(picture)
    .slice(0, CLASSES_MAX_COUNT)
    .flatMap((each) => ttftLine(each, picture) ?? []);
}

function ttftLine({ class: name, ttftAt }: ClassSummary, { width, paint }: Picture): string | undefined {
  const percentile = PERCENTILES.find((each) => ttftAt?.[each] !== undefined);
  const at = percentile === undefined ? undefined : ttftAt?.[percentile];
  if (at === undefined || percentile === undefined) return undefined;
  const parts = at.parts.filter(({ partNs }) => partNs > 0);
  const head = `${fit(name, Math.min(11, width))} TTFT ${percentile} ${msText(at.ttftNs).padStart(8)} ms `;
  const barWidth = Math.min(BAR_MOST, Math.max(BAR_LEAST, Math.floor((width - widthOf(head)) / 2)));
  const room = width - widthOf(head) - barWidth - 1;
  if (room < 0) return cut(head.trimEnd(), width);
  const words = parts.map(({ part, partNs }) => `${part} ${msText(partNs)}${basisMark(part, at)}`);
  return `${head}${barOf(parts, barWidth, paint)} ${cut(words.join('  '), room)}`.trimEnd();
}

/** Said where the engine did not state it itself. */
function basisMark(part: string, at: { readonly queueBasis?: string; readonly prefillBasis?: string }): string {
  const basis = part === 'queue' ? at.queueBasis : at.prefillBasis;
  return (part === 'queue' || part === 'prefill') && basis === 'model' ? ' (model)' : '';
}

/** Parts as runs of their letters; what rounding takes from one it gives to the longest. */
function barOf(
  parts: readonly { readonly part: string; readonly partNs: number }[],
  width: number,
  paint: Picture['paint'],
): string {
  const totalNs = parts.reduce((sum, { partNs }) => sum + partNs, 0);
  if (totalNs === 0) return fit(ABSENT, width);
  const lengths = parts.map(({ partNs }) => Math.round((partNs * width) / totalNs));
  const longest = parts.findIndex(({ partNs }) => partNs === Math.max(...parts.map((each) => each.partNs)));
  const surplus = lengths.reduce((sum, each) => sum + each, 0) - width;
  lengths[longest] = Math.max(0, (lengths[longest] ?? 0) - surplus);
  return parts
    .map(({ part }, index) => paint(partStyle(part), (PART_LETTERS[part] ?? '?').repeat(lengths[index] ?? 0)))
    .join('');
}

function partStyle(part: string): Style {
  return part in PART_LETTERS ? (`part-${part}` as Style) : 'plain';
}
