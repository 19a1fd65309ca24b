// Under which keys a sight is found: its ids, and its text where that is long enough to be told by itself. Pure.
import type { PairBasis } from '../../record/hop-facts.ts';
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import type { Sight, SightLane } from './sight.ts';

/** What can be looked up: beside ids and whole texts those that only end alike, as where something was put before. */
export type KeyBasis = PairBasis | 'ending';
/** Those that need no id. */
export const TEXT_BASES = ['content', 'ending'] as const;
export type TextBasis = (typeof TEXT_BASES)[number];

const LETTERS: Readonly<Record<KeyBasis, string>> = {
  trace: 't',
  request: 'q',
  response: 'a',
  content: 'c',
  ending: 'e',
};

export function keyOf(basis: KeyBasis, id: string): string {
  return `${LETTERS[basis]} ${id}`;
}

export function keysFor(basis: KeyBasis, { ids, lanes }: Pick<Sight, 'ids' | 'lanes'>): readonly string[] {
  switch (basis) {
    case 'trace':
      return keyed(basis, ids.traceId);
    case 'request':
      return keyed(basis, ids.requestId);
    case 'response':
      return keyed(basis, ids.responseId);
    case 'content':
    case 'ending':
      return lanes.flatMap((lane) => textIdOf(basis, lane) ?? []).map((id) => keyOf(basis, id));
  }
}

/** Of a lane that is long enough to be told by its text alone. */
export function textIdOf(basis: TextBasis, { lengthChars, endHash, places }: SightLane): string | undefined {
  if (lengthChars < HASH_STEP_CHARS) return undefined;
  if (basis === 'content') return `${endHash} ${lengthChars}`;
  return places?.windows.at(-1)?.toString();
}

/** Whether both have a key of this basis in common. */
export function shareKey(basis: KeyBasis, one: Sight, other: Sight): boolean {
  const keys = keysFor(basis, other);
  return keysFor(basis, one).some((key) => keys.includes(key));
}

export function idKeysOf(ids: Sight['ids']): readonly string[] {
  return (['trace', 'request', 'response'] as const).flatMap((basis) => keysFor(basis, { ids, lanes: [] }));
}

export function keysOf(sight: Sight): readonly string[] {
  return [...idKeysOf(sight.ids), ...TEXT_BASES.flatMap((basis) => keysFor(basis, sight))];
}

function keyed(basis: PairBasis, id: string | undefined): readonly string[] {
  return id === undefined ? [] : [keyOf(basis, id)];
}
