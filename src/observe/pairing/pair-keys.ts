// Under which keys a sight is found: its ids, and its text where that is long enough to be told by itself. Pure.
import type { PairBasis } from '../../record/hop-facts.ts';
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import type { Sight } from './sight.ts';

const LETTERS: Readonly<Record<PairBasis, string>> = { trace: 't', request: 'q', response: 'a', content: 'c' };

export function keyOf(basis: PairBasis, id: string): string {
  return `${LETTERS[basis]} ${id}`;
}

export function keysFor(basis: PairBasis, { ids, lanes }: Pick<Sight, 'ids' | 'lanes'>): readonly string[] {
  switch (basis) {
    case 'trace':
      return keyed(basis, ids.traceId);
    case 'request':
      return keyed(basis, ids.requestId);
    case 'response':
      return keyed(basis, ids.responseId);
    case 'content':
      return lanes.flatMap(({ lengthChars, endHash }) =>
        lengthChars >= HASH_STEP_CHARS ? [keyOf(basis, `${endHash} ${lengthChars}`)] : [],
      );
  }
}

/** Whether both have a key of this basis in common. */
export function shareKey(basis: PairBasis, one: Sight, other: Sight): boolean {
  const keys = keysFor(basis, other);
  return keysFor(basis, one).some((key) => keys.includes(key));
}

export function idKeysOf(ids: Sight['ids']): readonly string[] {
  return (['trace', 'request', 'response'] as const).flatMap((basis) => keysFor(basis, { ids, lanes: [] }));
}

export function keysOf(sight: Sight): readonly string[] {
  return [...idKeysOf(sight.ids), ...keysFor('content', sight)];
}

function keyed(basis: PairBasis, id: string | undefined): readonly string[] {
  return id === undefined ? [] : [keyOf(basis, id)];
}
