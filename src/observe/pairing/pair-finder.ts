// Finds the two sights of an exchange that was seen before and behind a hop, as exchanges open and end. Those seen
// before a hop wait here, in a bounded list, for what was seen behind it; everything else passes at once.
import { nowNs } from '../../base/clock.ts';
import {
  PAIR_ABORT_WAIT_MS,
  PAIR_LOOK_EVERY_MS,
  PAIR_WAIT_MS,
  PAIRS_WAITING_MAX_COUNT,
  PEER_ASKED_MS,
} from '../../base/pairing-limits.ts';
import type { UnpairedReason } from '../../record/hop-facts.ts';
import { choose, type Field, type Pair } from './choose.ts';
import { hopFactsOf } from './facts-of.ts';
import { OuterRoster } from './outer-roster.ts';
import { type OpenSight, PairBook } from './pair-book.ts';
import { idKeysOf, keysFor } from './pair-keys.ts';
import type { Pairing } from './paired.ts';
import { answerPeer, type PeerAnswer } from './peer-answer.ts';
import type { PeerPairs } from './peer-pairs.ts';
import { sightOf, type Seen, type Sight } from './sight.ts';

export interface PairFinderOptions {
  /** A rubato behind the hop that is our upstream; exchanges that no edge saw are looked for there. */
  readonly peer?: PeerPairs;
  /** Whether exchanges may be seen before a hop of ours; absent means yes. */
  readonly hasEdges?: () => boolean;
  readonly onFault: (fault: unknown) => void;
}

interface Waiting {
  readonly sight: Sight;
  readonly hop: string;
  /** When it is given up, unless an inner exchange is open that the client's leaving should end. */
  readonly deadlineNs: number;
  readonly abortDeadlineNs: number;
  readonly settle: (pairing: Pairing) => void;
}

const NS_PER_MS = 1e6;
const NOTHING: Pairing = {};

export class PairFinder {
  readonly #options: PairFinderOptions;
  readonly #book = new PairBook();
  readonly #roster = new OuterRoster();
  readonly #waiting = new Map<string, Waiting>();
  /** When a peer asked last. */
  #askedAtNs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PairFinderOptions) {
    this.#options = options;
  }

  /** What a peer asks for. From now on exchanges are remembered for it, which without it nobody would look for. */
  answer(query: string): PeerAnswer {
    this.#askedAtNs = nowNs();
    return answerPeer(this.#book, query, this.#askedAtNs);
  }

  /** Nobody could look for what opens now: it need not be told, and nothing of it be kept. */
  get isIdle(): boolean {
    const { peer, hasEdges } = this.#options;
    return peer === undefined && hasEdges?.() === false && nowNs() - this.#askedAtNs > PEER_ASKED_MS * NS_PER_MS;
  }

  opened(open: OpenSight): void {
    const sight = open.look();
    this.#book.open(open, sight.ids);
    if (this.#isOuter(sight)) this.#roster.put(sight);
  }

  /** It is not followed any more, and did not end either. */
  dropped(id: string): void {
    this.#book.close(id);
    this.#roster.remove(id);
  }

  /** Calls `settle` exactly once: at once, or when the exchange has its pair or never will have one. */
  ended(seen: Seen, settle: (pairing: Pairing) => void): void {
    if (this.isIdle) {
      this.#book.close(seen.record.id);
      return settle(NOTHING);
    }
    const behind = sightOf(seen, 'behind');
    this.#book.add(behind);
    if (this.#isOuter(behind) && hasReachedHop(behind)) this.#await(sightOf(seen, 'before'), settle);
    else {
      this.#roster.remove(behind.id);
      settle(NOTHING);
    }
    this.#tryThoseWith(behind);
  }

  /** Decides on all that wait, with what there is. */
  settleAll(): void {
    for (const waiting of this.#waiting.values()) this.#try(waiting, true);
    this.#options.peer?.settleAll();
  }

  #isOuter({ edge }: Sight): boolean {
    return edge !== undefined || this.#options.peer !== undefined;
  }

  #await(sight: Sight, settle: (pairing: Pairing) => void): void {
    this.#roster.put(sight);
    const { peer } = this.#options;
    if (sight.edge === undefined && peer !== undefined) {
      peer.find(sight, this.#roster, settle);
      return;
    }
    const atNs = nowNs();
    const waiting = {
      sight,
      hop: sight.edge ?? '',
      deadlineNs: atNs + PAIR_WAIT_MS * NS_PER_MS,
      abortDeadlineNs: atNs + PAIR_ABORT_WAIT_MS * NS_PER_MS,
      settle,
    };
    this.#waiting.set(sight.id, waiting);
    if (this.#try(waiting, false)) return;
    if (this.#waiting.size > PAIRS_WAITING_MAX_COUNT) this.#giveUp(waiting, 'crowded');
    else this.#timer ??= setInterval(() => this.#look(), PAIR_LOOK_EVERY_MS).unref();
  }

  /** An exchange has ended: those that wait for one of its ids may have found it. */
  #tryThoseWith(behind: Sight): void {
    for (const id of this.#roster.withKeys(idKeysOf(behind.ids))) {
      const waiting = this.#waiting.get(id);
      if (waiting !== undefined && id !== behind.id) this.#try(waiting, false);
    }
  }

  #look(): void {
    const atNs = nowNs();
    for (const waiting of this.#waiting.values()) {
      const isLate = atNs >= waiting.deadlineNs;
      if (isLate && (atNs >= waiting.abortDeadlineNs || !this.#mayStillEnd(waiting))) this.#try(waiting, true);
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The client has left, and what was asked for it behind the hop goes on. */
  #mayStillEnd({ sight }: Waiting): boolean {
    if (sight.outcome !== 'client_abort') return false;
    const keys = [...keysFor('trace', sight), ...keysFor('request', sight)];
    return this.#book.find(keys).some(({ id, endedAtNs }) => id !== sight.id && endedAtNs === undefined);
  }

  /** True when it was decided. */
  #try(waiting: Waiting, isLast: boolean): boolean {
    const { sight } = waiting;
    try {
      const choice = choose(sight, this.#fieldOf(sight, isLast));
      if (choice === 'wait') return false;
      if (typeof choice === 'string') this.#giveUp(waiting, choice);
      else this.#pair(waiting, choice);
    } catch (fault) {
      this.#options.onFault(fault);
      this.#giveUp(waiting, 'not_seen');
    }
    return true;
  }

  #fieldOf(outer: Sight, isLast: boolean): Field {
    return {
      // What another edge saw may lie behind this one's hop; what the same one saw came before it too.
      candidates: (basis) => this.#book.find(keysFor(basis, outer)).filter(({ edge }) => edge !== outer.edge),
      alike: (basis, fits) =>
        this.#book.findAll(keysFor(basis, outer), (inner) => inner.edge !== outer.edge && fits(inner)),
      rivals: (basis) => this.#roster.rivalsOf(outer, basis),
      isLast,
      slackNs: 0,
    };
  }

  #pair({ sight, hop, settle }: Waiting, pair: Pair): void {
    this.#waiting.delete(sight.id);
    this.#roster.remove(sight.id);
    for (const { id } of [pair.inner, ...pair.failedTries]) this.#book.take(id);
    settle({ hop: hopFactsOf(sight, pair, { name: hop, clockErrorNs: undefined }) });
  }

  #giveUp({ sight, hop, settle }: Waiting, reason: UnpairedReason): void {
    this.#waiting.delete(sight.id);
    this.#roster.giveUp(sight.id);
    settle({ unpaired: { hop, reason } });
  }
}

/** What never got a connection cannot have been passed on. */
function hasReachedHop({ connectedAtNs, headReceivedAtNs }: Sight): boolean {
  return connectedAtNs !== undefined || headReceivedAtNs !== undefined;
}
