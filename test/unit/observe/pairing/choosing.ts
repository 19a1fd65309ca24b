// Choosing in few words: an outer exchange, the inner ones that it could have been, and what was chosen as a word.
import { choose, type Choice } from '../../../../src/observe/pairing/choose.ts';
import { shareKey } from '../../../../src/observe/pairing/pair-keys.ts';
import type { Sight } from '../../../../src/observe/pairing/sight.ts';
import { every, sight, type SightSpec } from './sights.ts';

export const TRACE = { traceId: 't1' };

export interface Scene {
  readonly inner: readonly Sight[];
  readonly rivals?: readonly Sight[];
  readonly isLast?: boolean;
}

export function chosen(outer: Sight, { inner, rivals = [], isLast = true }: Scene): Choice {
  return choose(outer, {
    candidates: (basis) => inner.filter((one) => shareKey(basis, one, outer)),
    alike: (basis, fits) => inner.filter((one) => shareKey(basis, one, outer) && fits(one)),
    rivals: (basis) => rivals.filter((one) => shareKey(basis, one, outer)),
    isLast,
    slackNs: 0,
  });
}

export function told(choice: Choice): string {
  return typeof choice === 'string' ? choice : `${choice.inner.id} by ${choice.basis}${choice.confirmed ? '' : '?'}`;
}

/** Text comes out from 100 ms on, went in 1 ms before. */
export function outerOf(text: string, spec: Partial<SightSpec> = {}): Sight {
  return sight({
    id: 'o',
    openedMs: 0,
    endedMs: 320,
    lanes: text === '' ? [] : [{ text, atMs: every(100, 10, 20) }],
    ...spec,
  });
}

export function innerOf(id: string, text: string, spec: Partial<SightSpec> = {}): Sight {
  return sight({
    id,
    openedMs: 5,
    endedMs: 300,
    lanes: text === '' ? [] : [{ text, atMs: every(99, 10, 20) }],
    ...spec,
  });
}

/** 20 fragments out, as they went in; one more before them where the gateway says something first. */
export function bannered(banner: string, text: string, spec: Partial<SightSpec> = {}): Sight {
  const size = Math.ceil(text.length / 20);
  const pieces = Array.from({ length: 20 }, (_, at) => text.slice(at * size, (at + 1) * size));
  return outerOf('', { lanes: [{ text: '', atMs: every(99.9, 10, 21), fragments: [banner, ...pieces] }], ...spec });
}
