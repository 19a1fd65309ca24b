// One simulated answer on its way to rubato: its bytes through everything that lies in between, and for each event
// by how much each part of the way delayed it.
import type { Random } from '../../../src/client/random.ts';
import type { SimulatedAnswer } from '../../../src/client/reference-engine/simulate.ts';
import {
  arrivals,
  gathered,
  heldBack,
  merged,
  travelled,
  type Gathering,
  type Losses,
  type Piece,
  type Stretch,
} from './outside.ts';

export interface Way {
  readonly gathering?: Gathering;
  readonly losses?: Losses;
  readonly jitterNs: number;
  /** The client takes nothing for so long, each from the first read after a moment on. */
  readonly blocks: readonly { readonly afterNs: number; readonly lengthNs: number }[];
  /** The relay's thread stands still. */
  readonly pauses: readonly Stretch[];
  /** Bytes of an event beside its text. */
  readonly eventBytes: number;
  /** Events state how many tokens there are by then. */
  readonly counts: boolean;
}

/** An event with a generated fragment, as it came. */
export interface TravelledEvent {
  readonly readAtNs: number;
  /** Later than it was computed by so much: told late by the engine, held by a hop, and so on. */
  readonly delaysNs: Delays;
}

export interface Delays {
  readonly told: number;
  readonly buffering: number;
  readonly network: number;
  readonly client: number;
  readonly rubato: number;
}

export interface Travelled {
  readonly answer: SimulatedAnswer;
  readonly events: readonly TravelledEvent[];
  readonly reads: readonly (Piece & { readonly errorBoundNs: number })[];
  readonly blocked: readonly Stretch[];
}

export function travel(answer: SimulatedAnswer, way: Way, random: Random): Travelled {
  const { pieces, ends } = written(answer, way, random);
  const stages: Piece[][] = [pieces];
  const add = (stage: Piece[]): number[] => {
    stages.push(stage);
    return arrivals(stage, ends);
  };
  const told = arrivals(pieces, ends);
  const left = way.gathering === undefined ? told : add(gathered(pieces, way.gathering));
  const arrived = add(travelled(stages.at(-1) ?? [], { jitterNs: way.jitterNs, losses: way.losses }, random));
  const blocked = blockedStretches(stages.at(-1) ?? [], way.blocks);
  const taken = add(heldBack(stages.at(-1) ?? [], blocked));
  const ready = stages.at(-1) ?? [];
  const read = add(heldBack(ready, way.pauses));
  const events = answer.events.map(({ delayNs }, index) => ({
    readAtNs: at(read, index),
    delaysNs: {
      told: delayNs,
      buffering: at(left, index) - at(told, index),
      network: at(arrived, index) - at(left, index),
      client: at(taken, index) - at(arrived, index),
      rubato: at(read, index) - at(taken, index),
    },
  }));
  const reads = (stages.at(-1) ?? []).map((piece) => ({
    ...piece,
    // The relay knows that it was busy, not since when a byte had been there.
    errorBoundNs: boundOf(piece.atNs, way.pauses),
  }));
  return { answer, events, reads, blocked };
}

function boundOf(atNs: number, pauses: readonly Stretch[]): number {
  const pause = pauses.find(({ toNs }) => toNs === atNs);
  return pause === undefined ? 0 : pause.toNs - pause.fromNs;
}

/** Each begins with the first read after its moment: that is when the kernel takes no more. */
function blockedStretches(pieces: readonly Piece[], blocks: Way['blocks']): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { afterNs, lengthNs } of blocks) {
    const first = pieces.find(({ atNs }) => atNs >= Math.max(afterNs, (stretches.at(-1)?.toNs ?? 0) + 1));
    if (first !== undefined) stretches.push({ fromNs: first.atNs, toNs: first.atNs + lengthNs });
  }
  return stretches;
}

/** What the engine writes, and where each event with a token ends in it. */
function written(
  { request, events, endAtNs }: SimulatedAnswer,
  { eventBytes, counts }: Way,
  random: Random,
): { readonly pieces: Piece[]; readonly ends: number[] } {
  const pieces: Piece[] = [];
  const ends: number[] = [];
  let offset = 0;
  const write = (atNs: number, text: string): void => {
    pieces.push({ atNs, text });
    offset += text.length;
  };
  for (const { atNs, from, to } of events) {
    if (from === 1) write(atNs, chatEvent({ role: 'assistant', content: '' }, request.id, eventBytes));
    const content = Array.from(
      { length: to - from + 1 },
      () => ` ${'tempo rubato'.slice(0, 2 + Math.floor(random() * 9))}`,
    );
    const usage = counts ? { prompt_tokens: request.promptTokens, completion_tokens: to } : undefined;
    write(atNs, chatEvent({ content: content.join('') }, request.id, eventBytes, usage));
    ends.push(offset);
  }
  if (endAtNs !== undefined)
    write(endAtNs, `${chatEvent({}, request.id, eventBytes, undefined, 'stop')}data: [DONE]\n\n`);
  return { pieces: merged(pieces), ends };
}

function chatEvent(delta: object, id: string, bytes: number, usage?: object, finish: string | null = null): string {
  const head = { id: `chatcmpl-${id}`.padEnd(bytes, '0'), object: 'chat.completion.chunk', model: 'reference-small' };
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...head, choices, ...(usage === undefined ? {} : { usage }) })}\n\n`;
}

function at(moments: readonly number[], index: number): number {
  return moments[index] ?? NaN;
}
