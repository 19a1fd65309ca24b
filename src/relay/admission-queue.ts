// Who may go to the engine now, who waits, who is refused: the only part of rubato that ever holds a request back,
// and only where it is configured. One queue a route. A place is free when the engine has nothing more to do for
// its exchange. Knows no exchange and no answer.
import { nowNs } from '../base/clock.ts';
import { Turnover } from './turnover.ts';

/** How one class is treated. */
export interface ClassTurns {
  /** Of those that wait, a higher one goes first. */
  readonly priority: number;
  /** Exchanges of the class at the engine; Infinity is no limit of its own. */
  readonly maxRunningCount: number;
  /** Requests of the class that may wait. */
  readonly maxWaitingCount: number;
  /** How long each may wait at most. */
  readonly maxWaitMs: number;
}

export interface QueueSettings {
  /** Exchanges of all classes at the engine; Infinity is no limit. */
  readonly maxRunningCount: number;
  readonly turnsOf: (className: string) => ClassTurns;
}

/** Why a request was not let in. */
export type TurnRefusal = 'queue_full' | 'queue_age';

export interface Asker {
  readonly onTurn: (hasWaited: boolean) => void;
  readonly onRefused: (reason: TurnRefusal) => void;
}

/** A request's way through the queue. */
export interface Ticket {
  /** It stands in the queue now. */
  readonly isWaiting: boolean;
  /** Once it was refused: when there may be room for another try. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Asks for a place at the engine, once. Where one is free `onTurn` is called before this returns, and
   * `onRefused` where no more may wait.
   */
  ask(): void;
  /** Gives up its place, in the queue or at the engine; again, or without one, it does nothing. */
  leave(): void;
}

interface ClassState {
  runningCount: number;
  /** In the order in which they came. */
  readonly waiting: Place[];
}

interface Place {
  stage: 'new' | 'waiting' | 'running' | 'over';
  readonly asker: Asker;
  /** Of all that ever asked. */
  number: number;
  timer: NodeJS.Timeout | undefined;
  retryAfterSeconds: number | undefined;
}

export class AdmissionQueue {
  #settings: QueueSettings;
  readonly #classes = new Map<string, ClassState>();
  readonly #turnover = new Turnover();
  #runningCount = 0;
  #askedCount = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
  }

  /** Places that are taken stay so; who waits goes on by these, but for the time it was promised. */
  configure(settings: QueueSettings): void {
    this.#settings = settings;
    this.#letIn();
  }

  ticket(className: string, asker: Asker): Ticket {
    const state = this.#stateOf(className);
    const place: Place = { stage: 'new', asker, number: 0, timer: undefined, retryAfterSeconds: undefined };
    return {
      get isWaiting() {
        return place.stage === 'waiting';
      },
      get retryAfterSeconds() {
        return place.retryAfterSeconds;
      },
      ask: () => this.#ask(state, place, this.#settings.turnsOf(className)),
      leave: () => this.#leave(state, place),
    };
  }

  #ask(state: ClassState, place: Place, turns: ClassTurns): void {
    if (place.stage !== 'new') return;
    this.#askedCount += 1;
    place.number = this.#askedCount;
    if (this.#hasRoom(state, turns)) {
      this.#run(state, place);
    } else if (state.waiting.length < turns.maxWaitingCount) {
      place.stage = 'waiting';
      state.waiting.push(place);
      place.timer = setTimeout(() => this.#refuse(state, place, turns, 'queue_age'), turns.maxWaitMs);
      place.timer.unref();
    } else {
      this.#refuse(state, place, turns, 'queue_full');
    }
  }

  /** Nobody who waits could have taken the room: each waits for its own class's limit, or for everybody's. */
  #hasRoom({ runningCount }: ClassState, { maxRunningCount }: ClassTurns): boolean {
    return this.#runningCount < this.#settings.maxRunningCount && runningCount < maxRunningCount;
  }

  #run(state: ClassState, place: Place): void {
    clearTimeout(place.timer);
    const hasWaited = place.stage === 'waiting';
    place.stage = 'running';
    state.runningCount += 1;
    this.#runningCount += 1;
    place.asker.onTurn(hasWaited);
  }

  #leave(state: ClassState, place: Place): void {
    const before = place.stage;
    place.stage = 'over';
    clearTimeout(place.timer);
    if (before === 'waiting') remove(state, place);
    if (before !== 'running') return;
    state.runningCount -= 1;
    this.#runningCount -= 1;
    this.#turnover.freed(nowNs());
    this.#letIn();
  }

  #refuse(state: ClassState, place: Place, { priority }: ClassTurns, reason: TurnRefusal): void {
    place.stage = 'over';
    remove(state, place);
    place.retryAfterSeconds = this.#turnover.secondsUntil(this.#countBefore(priority) + 1, nowNs());
    place.asker.onRefused(reason);
  }

  /** Who waits and would go before a newcomer of that priority. */
  #countBefore(priority: number): number {
    let count = 0;
    for (const [className, { waiting }] of this.#classes) {
      if (this.#settings.turnsOf(className).priority >= priority) count += waiting.length;
    }
    return count;
  }

  #letIn(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.state.waiting.shift();
      this.#run(next.state, next.place);
    }
  }

  /** Of those there is room for: highest priority, and of equals whoever waits longest. */
  #next(): { readonly state: ClassState; readonly place: Place } | undefined {
    let best: { state: ClassState; place: Place; priority: number } | undefined;
    for (const [className, state] of this.#classes) {
      const [place] = state.waiting;
      const turns = this.#settings.turnsOf(className);
      if (place === undefined || !this.#hasRoom(state, turns)) continue;
      const { priority } = turns;
      const isBetter =
        best === undefined ||
        priority > best.priority ||
        (priority === best.priority && place.number < best.place.number);
      if (isBetter) best = { state, place, priority };
    }
    return best;
  }

  #stateOf(className: string): ClassState {
    const known = this.#classes.get(className);
    if (known !== undefined) return known;
    const fresh: ClassState = { runningCount: 0, waiting: [] };
    this.#classes.set(className, fresh);
    return fresh;
  }
}

function remove({ waiting }: ClassState, place: Place): void {
  const index = waiting.indexOf(place);
  if (index >= 0) waiting.splice(index, 1);
}
