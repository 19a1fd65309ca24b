// Shared by the tests of the stream folder: feeds a body in given pieces and collects what comes out.
import { CHANNELS } from '../../../src/record/kinds.ts';
import type { AnswerFacts, TokenFacts } from '../../../src/record/stream-record.ts';
import { createAnswerReader, type AnswerHead, type RequestHints } from '../../../src/stream/answer-reader.ts';
import type { TextSink } from '../../../src/stream/fragments.ts';

export const SSE_HEAD: AnswerHead = { status: 200, mediaType: 'text/event-stream' };
export const CHAT_HINTS: RequestHints = { method: 'POST', path: '/v1/chat/completions' };

/** An event as tests write it down: kind, names of channels, tokens so far when stated. */
interface ToldEvent {
  readonly kind: string;
  readonly generated?: string[];
  readonly tokensSoFar?: number;
}

export interface Told {
  readonly events: ToldEvent[];
  /** For each event, which piece completed it. */
  readonly pieces: number[];
  /** Generated text by `channel choice`, in the order in which these began. */
  readonly texts: Record<string, string>;
  readonly facts: AnswerFacts;
  readonly tokens: TokenFacts;
  readonly doubts: string[];
}

export interface Setting {
  readonly head?: AnswerHead;
  readonly hints?: RequestHints;
}

/** Reads a body that comes in these pieces. Each piece's memory is overwritten after its feed. */
export function readAll(pieces: readonly (Uint8Array | string)[], setting: Setting = {}): Told {
  const events: ToldEvent[] = [];
  const completedBy: number[] = [];
  const texts: Told['texts'] = {};
  let piece = 0;
  const onText: TextSink = (channel, choice, text) => {
    const lane = `${channel} ${choice}`;
    texts[lane] = (texts[lane] ?? '') + text;
  };
  const hints = { ...(setting.hints ?? CHAT_HINTS), onText };
  const reader = createAnswerReader(setting.head ?? SSE_HEAD, hints, (event) => {
    const generated = CHANNELS.filter((_, bit) => (event.generated & (1 << bit)) !== 0);
    events.push({
      kind: event.kind,
      ...(generated.length > 0 ? { generated } : {}),
      ...(event.tokensSoFar === undefined ? {} : { tokensSoFar: event.tokensSoFar }),
    });
    completedBy.push(piece);
  });
  for (const bytes of pieces) {
    const copy = Buffer.from(bytes);
    reader.feed(copy);
    copy.fill(0xff);
    piece += 1;
  }
  reader.end();
  return {
    events,
    pieces: completedBy,
    texts,
    facts: reader.facts(),
    tokens: reader.tokens(),
    doubts: reader.doubts(),
  };
}

/** The bytes cut at these offsets. */
export function cutAt(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const borders = [0, ...offsets.toSorted((left, right) => left - right), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

export function inBytes(bytes: Uint8Array): Uint8Array[] {
  return [...bytes].map((byte) => Uint8Array.of(byte));
}

/** An SSE event with this JSON as its data. */
export function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
}

/** An SSE event with one chat choice. */
export function delta(fields: unknown, finish: string | null = null, index = 0): string {
  return data({ choices: [{ index, delta: fields, finish_reason: finish }] });
}

export const DONE = data('[DONE]');

export function kinds(told: Told): string[] {
  return told.events.map((event) => event.kind);
}
