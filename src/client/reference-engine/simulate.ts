// The reference engine without a clock and without sockets: requests at moments in, events at moments out, with
// what lay before each. Whole hours of an engine in a second, the same for the same seed.
import { joinGaps, type GapParts } from './gap-parts.ts';
import type { EngineModel } from './model.ts';
import { Scheduler, type Job, type Step } from './scheduler.ts';
import { Teller } from './telling.ts';

export interface SimulatedRequest extends Job {
  readonly atNs: number;
}

/** An event as it leaves the engine. */
export interface SimulatedEvent {
  readonly atNs: number;
  /** Positions of its tokens. */
  readonly from: number;
  readonly to: number;
  /** Of this, time after its tokens were computed. */
  readonly delayNs: number;
  /** What lay between the tokens of the event before and these; absent where both came out of one step. */
  readonly gap?: GapParts;
}

export interface SimulatedAnswer {
  readonly request: SimulatedRequest;
  /** Its prefill began; absent while it waits. */
  startedAtNs?: number;
  readonly events: SimulatedEvent[];
  /** When it was thrown out of its slot. */
  readonly preemptedAtNs: number[];
  /** Its last event left; absent where that was not lived to see. */
  endAtNs?: number;
}

/** What the engine publishes about itself at a moment. */
export interface EngineLook {
  readonly atNs: number;
  readonly runningCount: number;
  readonly waitingCount: number;
  readonly heldTokens: number;
  readonly preemptedCount: number;
  readonly draftedCount: number;
  readonly acceptedCount: number;
}

export interface Simulation {
  readonly answers: readonly SimulatedAnswer[];
  readonly looks: readonly EngineLook[];
}

export interface SimulationPlan {
  readonly model: EngineModel;
  readonly seed: number;
  /** In order of time. */
  readonly requests: readonly SimulatedRequest[];
  /** How often it is looked at what the engine publishes. */
  readonly lookEveryNs: number;
  /** Nothing is computed after this moment. */
  readonly untilNs: number;
}

export function simulate({ model, seed, requests, lookEveryNs, untilNs }: SimulationPlan): Simulation {
  const scheduler = new Scheduler(model, seed);
  const tellings = new Map<string, Telling>();
  const looks: EngineLook[] = [];
  const pass = (toNs: number): void => {
    for (const step of scheduler.advance(toNs)) noteStep(step, tellings);
  };
  let next = 0;
  for (let lookAtNs = lookEveryNs; lookAtNs <= untilNs; lookAtNs += lookEveryNs) {
    for (let request = requests[next]; request !== undefined && request.atNs < lookAtNs; request = requests[next]) {
      pass(request.atNs);
      tellings.set(request.id, new Telling(request, model));
      scheduler.submit(request, request.atNs);
      next += 1;
    }
    pass(lookAtNs);
    looks.push(lookOf(scheduler, lookAtNs));
  }
  return { answers: [...tellings.values()].map(({ answer }) => answer), looks };
}

/** How one answer is told. */
class Telling {
  readonly answer: SimulatedAnswer;
  readonly #teller: Teller;
  /** Of tokens that are not told yet. */
  #gaps: GapParts[] = [];

  constructor(request: SimulatedRequest, model: EngineModel) {
    this.answer = { request, events: [], preemptedAtNs: [] };
    this.#teller = new Teller(model);
  }

  onTokens(tokens: Step['tokens'], atNs: number): void {
    const { events } = this.answer;
    for (const { gap } of tokens) if (gap !== undefined) this.#gaps.push(gap);
    const { position = 0, last = false } = tokens.at(-1) ?? {};
    for (const { from, to, delayNs, inOneEvent } of this.#teller.add(position, last)) {
      for (let at = from; at <= to; at = inOneEvent ? to + 1 : at + 1) {
        const gaps = this.#gaps.splice(0);
        const event = { atNs: atNs + delayNs, from: at, to: inOneEvent ? to : at, delayNs };
        events.push(gaps.length === 0 ? event : { ...event, gap: joinGaps(gaps) });
      }
    }
    const endAtNs = events.at(-1)?.atNs;
    if (last && endAtNs !== undefined) this.answer.endAtNs = endAtNs;
  }
}

function noteStep(step: Step, tellings: ReadonlyMap<string, Telling>): void {
  for (const id of step.preempted) tellings.get(id)?.answer.preemptedAtNs.push(step.startAtNs);
  for (const id of step.started) {
    const answer = tellings.get(id)?.answer;
    if (answer !== undefined) answer.startedAtNs = step.startAtNs;
  }
  for (const [id, tokens] of Map.groupBy(step.tokens, (token) => token.id)) {
    tellings.get(id)?.onTokens(tokens, step.endAtNs);
  }
}

function lookOf(scheduler: Scheduler, atNs: number): EngineLook {
  const { runningCount, waitingCount, heldTokens, preemptedCount, draftedCount, acceptedCount } = scheduler;
  return { atNs, runningCount, waitingCount, heldTokens, preemptedCount, draftedCount, acceptedCount };
}
