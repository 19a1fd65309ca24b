// What a screen reader is told, and when: that the connection changed and that there are new stalls, in one sentence
// each, and not more often than one can listen to. Pure; moments are handed in.
import { PAGE_TELL_MS } from '../../base/page-limits.ts';
import type { LiveStall } from '../../telemetry/live/frame.ts';
import type { Snapshot } from '../feed/live-feed.ts';
import { span, word } from '../format.ts';
import { linkSays } from './link-words.ts';

export interface Told {
  readonly text: string;
  readonly atEpochMs: number;
  readonly linkWord: string;
  /** Stalls that ended up to here, by the sidecar's clock, were told, or were there before anybody listened. */
  readonly stallsUntilEpochMs: number;
}

export const NOTHING_TOLD: Told = { text: '', atEpochMs: 0, linkWord: 'connecting', stallsUntilEpochMs: 0 };

export function tellNext(told: Told, { link, model }: Snapshot, nowEpochMs: number): Told {
  if (nowEpochMs - told.atEpochMs < PAGE_TELL_MS) return told;
  const stalls = [...(model?.open ?? []), ...(model?.ended ?? [])]
    .flatMap(({ row }) => row.stalls)
    .filter(({ endedAtEpochMs }) => endedAtEpochMs > told.stallsUntilEpochMs);
  const isFirstLook = told.stallsUntilEpochMs === 0;
  const sentences = [
    ...(link.word === told.linkWord ? [] : [linkSentence(link, model !== undefined, nowEpochMs)]),
    ...(isFirstLook || stalls.length === 0 ? [] : [stallSentence(stalls)]),
  ];
  const stallsUntilEpochMs = stalls.reduce(
    (latest, { endedAtEpochMs }) => Math.max(latest, endedAtEpochMs),
    Math.max(told.stallsUntilEpochMs, isFirstLook ? (model?.atEpochMs ?? 0) : 0),
  );
  if (sentences.length === 0) return isFirstLook ? { ...told, stallsUntilEpochMs } : told;
  return { text: sentences.join(' '), atEpochMs: nowEpochMs, linkWord: link.word, stallsUntilEpochMs };
}

function linkSentence(link: Snapshot['link'], hasModel: boolean, nowEpochMs: number): string {
  const { word: says, sentence } = linkSays(link, hasModel, nowEpochMs);
  return sentence ?? `The page is ${says}.`;
}

function stallSentence(stalls: readonly LiveStall[]): string {
  const worst = stalls.reduce((longest, stall) => (stall.gapMs > longest.gapMs ? stall : longest));
  const cause = worst.cause === undefined ? '' : `, ${worst.cause === 'unknown' ? 'cause unknown' : word(worst.cause)}`;
  if (stalls.length === 1) return `A new stall of ${span(worst.gapMs)}${cause}.`;
  return `${stalls.length} new stalls, the longest of ${span(worst.gapMs)}${cause}.`;
}
