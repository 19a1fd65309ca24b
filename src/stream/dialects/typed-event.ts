// What the dialects whose events name their type have in common: one event carries one fragment at
// most, and what it does not carry is said by its type.
import type { EventKind } from '../../record/kinds.ts';
import type { AnswerState } from '../answer-state.ts';
import type { Reading } from '../dialect.ts';
import { asBoundedText, firstCount, type JsonObject } from '../json-value.ts';
import { kindByChannel } from './kind-by-channel.ts';

/** Longer than the type of any event known; what is longer is nobody's type. */
const TYPE_MAX_CHARS = 64;

/** The event's type: its field `type`, else the name its framing gave it. */
export function typeOf(message: JsonObject, eventName: string | undefined): string | undefined {
  return asBoundedText(message['type'], TYPE_MAX_CHARS) ?? asBoundedText(eventName, TYPE_MAX_CHARS);
}

/** A reading of the event whose fragments were told; it is `otherwise` when it generated nothing. */
export function readingOf({ fragments }: AnswerState, otherwise: EventKind, tokensSoFar?: number): Reading {
  const generated = fragments.take();
  return { kind: kindByChannel(generated) ?? otherwise, generated, tokensSoFar };
}

/**
 * The size of a prompt that is stated in parts which exclude each other, such as uncached, read from
 * a cache, written to one. Undefined without the first, and for zeros: a blank form is no statement.
 */
export function promptOf(uncached: unknown, ...others: unknown[]): number | undefined {
  const first = firstCount(uncached);
  if (first === undefined) return undefined;
  const total = others.reduce<number>((sum, part) => sum + (firstCount(part) ?? 0), first);
  return total === 0 ? undefined : firstCount(total);
}
