// What the page says of its connection, in words: one for the head, a sentence for the banner and for those who hear
// the page. Pure; moments are handed in.
import { clock } from '../format.ts';
import type { Link } from '../feed/live-feed.ts';

export type Tone = 'good' | 'warn' | 'bad';

export interface LinkSays {
  readonly word: string;
  readonly tone: Tone;
  /** Absent when all is well. */
  readonly sentence?: string;
  /** Whether a try at once may help. */
  readonly canRetry?: true;
}

export function linkSays(link: Link, hasModel: boolean, nowEpochMs: number): LinkSays {
  const kept = hasModel ? ' What you see is the last that was known.' : '';
  switch (link.word) {
    case 'live':
      return { word: 'live', tone: 'good' };
    case 'connecting':
      return { word: 'connecting', tone: 'warn' };
    case 'paused':
      return {
        word: 'paused',
        tone: 'warn',
        sentence: `Paused since ${clock(link.sinceEpochMs)}, while nobody looks.`,
      };
    case 'busy':
      return {
        word: 'busy',
        tone: 'warn',
        sentence:
          `Since ${clock(link.sinceEpochMs)} the sidecar is too busy to say what it sees. ` +
          `Streams are not touched by that: relays run on threads of their own.${kept}`,
      };
    case 'refused':
      return {
        word: 'refused',
        tone: 'warn',
        sentence: `As many pages and terminals watch this sidecar as it lets. Close one; this page tries again${inSeconds(link, nowEpochMs)}.${kept}`,
        canRetry: true,
      };
    case 'lost':
      return {
        word: 'lost',
        tone: 'bad',
        sentence:
          `The sidecar does not answer since ${clock(link.sinceEpochMs)}. This page tries again${inSeconds(link, nowEpochMs)} ` +
          `and goes on by itself.${kept}`,
        canRetry: true,
      };
  }
}

function inSeconds({ retryAtEpochMs }: Link, nowEpochMs: number): string {
  if (retryAtEpochMs === undefined || retryAtEpochMs <= nowEpochMs) return ' now';
  return ` in ${Math.ceil((retryAtEpochMs - nowEpochMs) / 1_000)} s`;
}
