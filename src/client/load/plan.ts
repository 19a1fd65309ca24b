// What is sent and when, settled before anything is sent: the same seed gives the same requests. Knows no wire.
import { hashText, mix32, seededRandom } from '../random.ts';
import { type Arrivals, dueMoments } from './arrivals.ts';
import { drawLength, type Lengths } from './lengths.ts';

/** One class of the mix. */
export interface LoadClass {
  readonly name: string;
  /** Its part of all requests; parts of all classes together need not be 1. */
  readonly share: number;
  readonly promptTokens: Lengths;
  readonly outputTokens: Lengths;
}

/** One request, before it is sent. */
export interface Planned {
  readonly ordinal: number;
  /** When it is due, ns since the run began; absent in a closed loop, where it is due when there is room. */
  readonly dueAtNs?: number;
  readonly class: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Makes its prompt differ from every other one, so that no cache knows it. */
  readonly seed: number;
}

/** An arrival of a recorded trace; what it does not say is drawn from the mix. */
export interface Recorded {
  readonly atNs: number;
  readonly class?: string;
  readonly promptTokens?: number;
  readonly outputTokens?: number;
}

export type Schedule =
  | { readonly kind: 'open'; readonly arrivals: Arrivals }
  | { readonly kind: 'recorded'; readonly recorded: readonly Recorded[] }
  | { readonly kind: 'closed' };

/** Requests in order, without end but for a recorded trace. */
export function* planRequests(classes: readonly LoadClass[], schedule: Schedule, seed: number): Generator<Planned> {
  // Streams of numbers of their own: another rate must not change what is asked for, nor the other way round.
  const pick = seededRandom(mix32(seed, hashText('class')));
  const draw = seededRandom(mix32(seed, hashText('lengths')));
  const sum = classes.reduce((total, { share }) => total + share, 0);
  let ordinal = 0;
  for (const { atNs, ...stated } of momentsOf(schedule, seed)) {
    const named = classes.find(({ name }) => name === stated.class);
    const chosen = named ?? pickClass(classes, pick() * sum);
    const promptTokens = drawLength(chosen.promptTokens, draw);
    const outputTokens = drawLength(chosen.outputTokens, draw);
    yield {
      ordinal,
      ...(atNs !== undefined && { dueAtNs: atNs }),
      class: stated.class ?? chosen.name,
      promptTokens: stated.promptTokens ?? promptTokens,
      outputTokens: stated.outputTokens ?? outputTokens,
      seed: mix32(seed, ordinal),
    };
    ordinal += 1;
  }
}

function* momentsOf(schedule: Schedule, seed: number): Generator<Partial<Recorded>> {
  if (schedule.kind === 'recorded') yield* schedule.recorded;
  else if (schedule.kind === 'closed') for (;;) yield {};
  else for (const atNs of dueMoments(schedule.arrivals, mix32(seed, hashText('arrivals')))) yield { atNs };
}

function pickClass(classes: readonly LoadClass[], at: number): LoadClass {
  let endsAt = 0;
  const found = classes.find(({ share }) => (endsAt += share) > at);
  return found ?? (classes.at(-1) as LoadClass);
}
