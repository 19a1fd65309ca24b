// Sights in few words: what was seen of an answer at one point, from its text and the moments at which it grew.
// Moments in ms on one clock.
import type { Channel } from '../../../../src/record/kinds.ts';
import { TextLog } from '../../../../src/record/text-log.ts';
import type { Sight, SightFacts, SightIds, SightLane } from '../../../../src/observe/pairing/sight.ts';

export const ms = (milliseconds: number): number => Math.round(milliseconds * 1e6);

export interface LaneSpec {
  readonly text: string;
  /** When it grew; the text is spread evenly over these. */
  readonly atMs: readonly number[];
  readonly channel?: Channel;
  readonly choice?: number;
  /** Its text as it came, one at each moment; of equal length where not told. */
  readonly fragments?: readonly string[];
  /** Bytes of body for each code point. */
  readonly bytesPerChar?: number;
}

export interface SightSpec {
  readonly id: string;
  readonly openedMs?: number;
  /** null: it is open. */
  readonly endedMs?: number | null;
  readonly ids?: SightIds;
  readonly lanes?: readonly LaneSpec[];
  readonly facts?: Partial<SightFacts>;
  readonly more?: Partial<Sight>;
}

export function sight({ id, openedMs = 0, endedMs = 1_000, ids = {}, lanes = [], facts, more }: SightSpec): Sight {
  return {
    id,
    ids,
    openedAtNs: ms(openedMs),
    ...(endedMs === null ? {} : { endedAtNs: ms(endedMs), outcome: 'ok' as const }),
    facts: {
      status: 200,
      streamed: true,
      dialect: 'openai-chat',
      terminal: true,
      endMark: true,
      usage: false,
      textEventCount: 10,
      eventCount: 12,
      keepAliveCount: 0,
      lengthStated: false,
      receivedBytes: 1_000,
      ...facts,
    },
    lanes: lanes.map((lane) => laneOf(lane)),
    ...more,
  };
}

export function laneOf({ text, atMs, channel = 'text', choice = 0, fragments, bytesPerChar = 4 }: LaneSpec): SightLane {
  const log = new TextLog();
  for (const [at, fragment] of (fragments ?? cutEvenly(text, atMs.length)).entries())
    log.add(channel, choice, fragment, at);
  const [lane] = log.finish().lanes;
  log.release();
  const { chunk = [], endChars = [], prefixHashes = [], endHash = 0, places } = lane ?? {};
  return {
    channel,
    choice,
    endChars,
    atNs: chunk.map((at) => ms(atMs[at] ?? 0)),
    bytes: endChars.map((chars) => chars * bytesPerChar),
    lengthChars: endChars.at(-1) ?? 0,
    prefixHashes,
    endHash,
    ...(places === undefined ? {} : { places }),
    firstReceivedAtNs: ms(atMs[0] ?? 0),
    lastReceivedAtNs: ms(atMs.at(-1) ?? 0),
  };
}

function cutEvenly(text: string, count: number): string[] {
  const points = [...text];
  const place = (index: number): number => Math.round((points.length * index) / count);
  return Array.from({ length: count }, (_, index) => points.slice(place(index), place(index + 1)).join(''));
}

/** Moments from `fromMs` on, `everyMs` apart. */
export function every(fromMs: number, everyMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => fromMs + index * everyMs);
}

/** A text that is like no other: its words are numbers made from the seed. */
export function prose(seed: number, chars: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  let text = '';
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${(state >>> 8).toString(36)} `;
  }
  return text.slice(0, chars);
}
