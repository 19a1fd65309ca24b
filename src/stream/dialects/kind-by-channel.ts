// Which kind an event is by the channels it generated on. The same for every dialect.
import { channelBit, type EventKind } from '../../record/kinds.ts';

/** Kinds by channel, the most telling first. */
const KIND_BY_CHANNEL: readonly (readonly [number, EventKind])[] = [
  [channelBit('text'), 'content'],
  [channelBit('reasoning'), 'reasoning'],
  [channelBit('tool'), 'tool'],
  [channelBit('refusal'), 'refusal'],
  [channelBit('audio') | channelBit('image'), 'media'],
];

/** Undefined for an event without any generated fragment. */
export function kindByChannel(generated: number): EventKind | undefined {
  return KIND_BY_CHANNEL.find(([bits]) => (generated & bits) !== 0)?.[1];
}
