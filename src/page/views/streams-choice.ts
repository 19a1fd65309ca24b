// Which streams the list shows, and in which order. Pure.
import { PAGE_CHOICES_MAX_COUNT } from '../../base/page-limits.ts';
import type { OpenExchange } from '../../judge/report.ts';
import type { StreamRow } from './streams-row.ts';

export interface StreamFilter {
  readonly className?: string | undefined;
  /** `open`, `ended`, or a phase or outcome. */
  readonly word?: string | undefined;
  readonly model?: string | undefined;
  /** `delivery:WORD` or `stall:CAUSE`. */
  readonly verdict?: string | undefined;
}

export type SortKey = 'flight' | 'age' | 'silence' | 'gap' | 'chunks' | 'ttft' | 'stalls';

type Figure = (row: StreamRow) => number | undefined;

/** The largest first, unless turned round; unknown ones always last. */
const FIGURES: Readonly<Record<Exclude<SortKey, 'flight'>, Figure>> = {
  age: ({ ageMs }) => ageMs,
  silence: ({ silentMs }) => silentMs,
  gap: ({ gapMaxMs }) => gapMaxMs,
  chunks: ({ chunkCount }) => chunkCount,
  ttft: ({ ttftMs }) => ttftMs,
  stalls: ({ stallCount }) => stallCount,
};

export function chooseRows(rows: readonly StreamRow[], filter: StreamFilter): StreamRow[] {
  const { className, word, model, verdict } = filter;
  return rows.filter(
    (row) =>
      (className === undefined || row.class === className) &&
      (model === undefined || row.model === model) &&
      (word === undefined || row.word === word || word === (row.isOpen ? 'open' : 'ended')) &&
      (verdict === undefined || verdictsOf(row).includes(verdict)),
  );
}

export function sortRows(rows: readonly StreamRow[], key: SortKey, isUpward: boolean): StreamRow[] {
  const figure = key === 'flight' ? undefined : FIGURES[key];
  const sign = isUpward ? -1 : 1;
  return rows.toSorted((a, b) => {
    if (figure === undefined) return sign * byFlight(a, b);
    const [of, other] = [figure(a), figure(b)];
    if (of === undefined || other === undefined)
      return Number(of === undefined) - Number(other === undefined) || byFlight(a, b);
    return sign * (other - of) || byFlight(a, b);
  });
}

/**
 * Open ones first, those that are longest in flight on top, so that new ones come at the end and move none; then the
 * ended ones, the latest first. Equals by id: rows must not change places for nothing.
 */
function byFlight(a: StreamRow, b: StreamRow): number {
  if (a.isOpen !== b.isOpen) return a.isOpen ? -1 : 1;
  const moments = a.isOpen ? a.openedAtEpochMs - b.openedAtEpochMs : b.untilEpochMs - a.untilEpochMs;
  return moments || (a.id < b.id ? -1 : 1);
}

const PHASES: ReadonlySet<string> = new Set<OpenExchange['phase']>(['turn', 'head', 'token', 'stream', 'silent']);

export interface StreamChoices {
  readonly models: readonly string[];
  readonly phases: readonly string[];
  readonly outcomes: readonly string[];
  readonly verdicts: readonly string[];
}

/** What the filters can be set to: what there is now, and what they are set to, in the order of the alphabet. */
export function choicesOf(rows: readonly StreamRow[], filter: StreamFilter): StreamChoices {
  const [models, phases, outcomes, verdicts] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ];
  // One walk without lists in between: it is done with every beat.
  for (const row of rows) {
    models.add(row.model);
    (row.isOpen ? phases : outcomes).add(row.word);
    if (row.delivery !== undefined || row.stalls.length > 0)
      for (const verdict of verdictsOf(row)) verdicts.add(verdict);
  }
  const { model, verdict, word } = filter;
  if (model !== undefined) models.add(model);
  if (verdict !== undefined) verdicts.add(verdict);
  if (word !== undefined && word !== 'open' && word !== 'ended') (PHASES.has(word) ? phases : outcomes).add(word);
  return { models: listed(models), phases: listed(phases), outcomes: listed(outcomes), verdicts: listed(verdicts) };
}

function verdictsOf({ delivery, stalls }: StreamRow): string[] {
  const causes = stalls.map(({ cause }) => `stall:${cause ?? 'unknown'}`);
  return delivery === undefined ? causes : [`delivery:${delivery}`, ...causes];
}

function listed(values: ReadonlySet<string>): string[] {
  return [...values].toSorted().slice(0, PAGE_CHOICES_MAX_COUNT);
}
