// What the dialects whose events name their type have in common: one event carries one fragment at
// most, and what it does not carry is said by its type.
import { channelBit, type Channel, type EventKind } from '../../record/kinds.ts';
import type { Reading } from '../dialect.ts';
import { asBoundedText, firstCount, isNonEmptyText, type JsonObject } from '../json-value.ts';
import { kindByChannel } from './kind-by-channel.ts';

/** Longer than the type of any event known; what is longer is nobody's type. */
const TYPE_MAX_CHARS = 64;

/** The event's type: its field `type`, else the name its framing gave it. */
export function typeOf(message: JsonObject, eventName: string | undefined): string | undefined {
  return asBoundedText(message['type'], TYPE_MAX_CHARS) ?? asBoundedText(eventName, TYPE_MAX_CHARS);
}

/** The channel's bit when any of the values is a non-empty text. */
export function fragment(channel: Channel, ...values: unknown[]): number {
  return values.some(isNonEmptyText) ? channelBit(channel) : 0;
}

/** A reading of an event that is `otherwise` when it generated nothing. */
export function readingOf(generated: number, otherwise: EventKind, tokensSoFar?: number): Reading {
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
