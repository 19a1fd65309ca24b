// What whoever sits before the terminal has chosen, and what a key makes of it. Pure: a key and the choices in, the
// choices out. Knows no terminal beyond the names of keys.
import type { TopStream } from './model.ts';

export const SORTS = ['silence', 'worst gap', 'age', 'chunks'] as const;
export type Sort = (typeof SORTS)[number];

export interface TopChoices {
  readonly sort: Sort;
  /** Only this class; absent for all. */
  readonly class?: string;
  readonly isPaused: boolean;
  readonly isHelp: boolean;
  /** Streams above the first one that is shown. */
  readonly offset: number;
}

export const FIRST_CHOICES: TopChoices = { sort: 'silence', isPaused: false, isHelp: false, offset: 0 };

/** What a key needs to know of the picture. */
export interface KeyContext {
  readonly classes: readonly string[];
  readonly streamCount: number;
  /** Streams that are shown at once. */
  readonly pageCount: number;
}

export type Key = 'up' | 'down' | 'pageup' | 'pagedown' | 'home' | 'end' | 'escape' | 'interrupt' | (string & {});

const SEQUENCES: Readonly<Record<string, Key>> = {
  '[A': 'up',
  '[B': 'down',
  OA: 'up',
  OB: 'down',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
};

/** Several keys may come at once, and a sequence that is not known is one key that does nothing. */
// eslint-disable-next-line no-control-regex -- sequences begin with the escape character
const KEYS = /\u001b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu;

export function keysOf(text: string): Key[] {
  return [...text.matchAll(KEYS)].map(([whole, sequence]) => {
    if (sequence !== undefined) return SEQUENCES[sequence] ?? 'unknown';
    if (whole === '\u001b') return 'escape';
    return whole === '\u0003' || whole === '\u0004' ? 'interrupt' : whole;
  });
}

export function press(choices: TopChoices, key: Key, context: KeyContext): TopChoices | 'quit' {
  if (key === 'q' || key === 'Q' || key === 'interrupt') return 'quit';
  // Any key leaves the help page; those that leave the program do so from there as well.
  if (choices.isHelp) return { ...choices, isHelp: false };
  switch (key) {
    case 's':
      return { ...choices, sort: after(SORTS, choices.sort), offset: 0 };
    case 'c':
      return withClass(choices, context.classes);
    case 'p':
    case ' ':
      return { ...choices, isPaused: !choices.isPaused };
    case '?':
    case 'h':
      return { ...choices, isHelp: true };
    default:
      return { ...choices, offset: moved(choices.offset, key, context) };
  }
}

function after<Choice>(all: readonly Choice[], one: Choice): Choice {
  return all[(all.indexOf(one) + 1) % all.length] ?? one;
}

/** All, then each class in turn, then all again; a class that is gone leads back to all. */
function withClass(choices: TopChoices, classes: readonly string[]): TopChoices {
  const { class: name, ...rest } = choices;
  const next = name === undefined ? classes[0] : classes[classes.indexOf(name) + 1];
  const isKnown = name === undefined || classes.includes(name);
  return { ...rest, offset: 0, ...(isKnown && next !== undefined && { class: next }) };
}

function moved(offset: number, key: Key, { streamCount, pageCount }: KeyContext): number {
  const last = Math.max(0, streamCount - pageCount);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -pageCount,
    pagedown: pageCount,
    home: -offset,
    end: last,
  };
  return Math.min(last, Math.max(0, offset + (steps[key] ?? 0)));
}

/** Streams of the class that was chosen: open ones in the order that was chosen, ended ones behind, the latest first. */
export function chosenStreams(streams: readonly TopStream[], choices: TopChoices): TopStream[] {
  const chosen = streams.filter((each) => choices.class === undefined || each.class === choices.class);
  const open = chosen.filter(({ isOpen }) => isOpen);
  const ended = chosen.filter(({ isOpen }) => !isOpen);
  return [...open.toSorted((a, b) => SORTED_BY[choices.sort](b) - SORTED_BY[choices.sort](a)), ...ended];
}

const SORTED_BY: Readonly<Record<Sort, (stream: TopStream) => number>> = {
  // Who waits for its first token is silent since it was opened.
  silence: ({ silentMs, ageMs }) => silentMs ?? ageMs,
  'worst gap': ({ gapMaxMs }) => gapMaxMs ?? -1,
  age: ({ ageMs }) => ageMs,
  chunks: ({ chunkCount }) => chunkCount,
};
