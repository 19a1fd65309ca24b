// Finds the other sight of an exchange in a rubato behind the hop, by asking its admin port after the end. A few
// bounded requests for many exchanges together; a peer that is slow or gone costs the pair and nothing else.
import { nowNs } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  PAIRS_WAITING_MAX_COUNT,
  PEER_ASKS_MAX_COUNT,
  PEER_BATCH_MAX_COUNT,
  PEER_GATHER_MS,
  PEER_GREET_EVERY_MS,
} from '../../base/pairing-limits.ts';
import type { UnpairedReason } from '../../record/hop-facts.ts';
import type { ClientOptions } from '../engine-metrics/metrics-client.ts';
import { choose, type Pair } from './choose.ts';
import { hopFactsOf, shifted } from './facts-of.ts';
import type { OuterRoster } from './outer-roster.ts';
import { keysFor, shareKey } from './pair-keys.ts';
import type { Pairing } from './paired.ts';
import { peerTextKeyOf, type PeerAnswer, type PeerQuestion, sharesKey } from './peer-answer.ts';
import { PeerClient } from './peer-client.ts';
import { halfOf, leadOf, middleOf, PeerClock } from './peer-clock.ts';
import type { Sight } from './sight.ts';
import { matchTexts } from './text-match.ts';
import { TakenIds } from './taken-ids.ts';

export interface PeerOptions {
  /** Name of the hop between us and the peer. */
  readonly hop: string;
  /** Of its admin port, without path. */
  readonly origin: string;
  readonly tls: ClientOptions;
  readonly log: Log;
}

/** When the peer is asked, after an end: what went on there may have ended a little later than here. */
const ASK_AFTER_MS = [PEER_GATHER_MS, 250, 1_000, 1_900];
/** Further times where the client has left: the hop may be slow to pass that on. */
const ASK_AFTER_ABORT_MS = [...ASK_AFTER_MS, 4_000, 9_500];
/** After a failure nothing is asked for so long. */
const REST_MS = 1_000;
const NS_PER_MS = 1e6;

interface Sought {
  readonly sight: Sight;
  readonly roster: OuterRoster;
  readonly settle: (pairing: Pairing) => void;
  /** Moments of questions still to come. */
  readonly askAtNs: number[];
  /** When it is given up, whatever the peer does. */
  readonly deadlineNs: number;
  asking: boolean;
  answered: boolean;
  candidates: readonly Sight[];
  /** Texts of which all sights were told; undefined where it was not asked for texts, or knows of none. */
  wholeTexts: readonly string[] | undefined;
}

const NOT_ASKED = { asking: false, answered: false, candidates: [], wholeTexts: undefined };

export class PeerPairs {
  readonly #options: PeerOptions;
  readonly #client: PeerClient;
  readonly #clock = new PeerClock();
  readonly #taken = new TakenIds();
  readonly #sought = new Map<string, Sought>();
  #process: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #greetTimer: NodeJS.Timeout | undefined;
  #asksUnderWay = 0;
  #restUntilNs = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#client = new PeerClient(options);
  }

  /** Tells the peer that it will be asked, so that it remembers what it sees; resolves when it has heard, or cannot. */
  async start(): Promise<void> {
    const greet = async (): Promise<void> => void (await this.#askPeer([]));
    this.#greetTimer = setInterval(() => void greet(), PEER_GREET_EVERY_MS).unref();
    await greet();
  }

  /** Calls `settle` exactly once. */
  find(sight: Sight, roster: OuterRoster, settle: (pairing: Pairing) => void): void {
    const atNs = nowNs();
    const times = sight.outcome === 'client_abort' ? ASK_AFTER_ABORT_MS : ASK_AFTER_MS;
    const askAtNs = times.map((afterMs) => atNs + afterMs * NS_PER_MS);
    const deadlineNs = (askAtNs.at(-1) ?? atNs) + REST_MS * NS_PER_MS;
    const sought = { ...NOT_ASKED, sight, roster, settle, askAtNs, deadlineNs };
    if (this.#sought.size >= PAIRS_WAITING_MAX_COUNT) {
      this.#giveUp(sought, 'crowded');
      return;
    }
    this.#sought.set(sight.id, sought);
    this.#timer ??= setInterval(() => this.#look(), PEER_GATHER_MS).unref();
  }

  /** Decides on all that wait, by what was answered. */
  settleAll(): void {
    for (const sought of this.#sought.values()) this.#decide(sought, true);
    this.#rest();
  }

  async close(): Promise<void> {
    clearInterval(this.#greetTimer);
    this.settleAll();
    await this.#client.close();
  }

  #look(): void {
    const atNs = nowNs();
    if (atNs >= this.#restUntilNs) {
      const due = [...this.#sought.values()].filter(
        ({ asking, askAtNs }) => !asking && (askAtNs[0] ?? Infinity) <= atNs,
      );
      for (let at = 0; at < due.length && this.#asksUnderWay < PEER_ASKS_MAX_COUNT; at += PEER_BATCH_MAX_COUNT) {
        void this.#ask(due.slice(at, at + PEER_BATCH_MAX_COUNT), atNs);
      }
    }
    for (const sought of this.#sought.values()) if (atNs >= sought.deadlineNs) this.#decide(sought, true);
    if (this.#sought.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #ask(batch: readonly Sought[], atNs: number): Promise<void> {
    this.#asksUnderWay += 1;
    for (const sought of batch) {
      sought.asking = true;
      while ((sought.askAtNs[0] ?? Infinity) <= atNs) sought.askAtNs.shift();
    }
    // For the last time: by what else than ids it could be found.
    const questions = batch.map(({ sight, askAtNs }) => ({ sight, byText: askAtNs.length === 0 }));
    const answer = await this.#askPeer(questions);
    this.#asksUnderWay -= 1;
    if (answer === undefined) this.#restUntilNs = nowNs() + REST_MS * NS_PER_MS;
    for (const [at, sought] of batch.entries()) {
      sought.asking = false;
      if (answer !== undefined) {
        sought.answered = true;
        sought.candidates = answer.sights.filter((sight) => sharesKey(sight, sought.sight));
        if (questions[at]?.byText === true) sought.wholeTexts = answer.wholeTexts;
      }
      if (this.#sought.has(sought.sight.id)) this.#decide(sought, sought.askAtNs.length === 0);
    }
  }

  async #askPeer(questions: readonly PeerQuestion[]): Promise<PeerAnswer | undefined> {
    const askedAtNs = nowNs();
    const answer = await this.#client.ask(questions);
    if (answer === undefined) return undefined;
    this.#noteProcess(answer);
    const { answeredAtNs } = answer;
    if (answeredAtNs !== undefined) this.#clock.learnAnswer({ askedAtNs, answeredAtNs }, nowNs());
    return answer;
  }

  /** A peer that was started anew counts its time and its exchanges from elsewhere. */
  #noteProcess({ process }: PeerAnswer): void {
    if (this.#process !== undefined && this.#process !== process) {
      this.#clock.forget();
      this.#taken.clear();
    }
    this.#process = process;
  }

  #decide(sought: Sought, isLast: boolean): void {
    try {
      this.#choose(sought, isLast);
    } catch (fault) {
      // What was answered is not ours; it must not end more than this.
      this.#client.broke(fault);
      this.#giveUp(sought, 'peer');
    }
  }

  #choose(sought: Sought, isLast: boolean): void {
    const { sight, roster, askAtNs } = sought;
    const seen = this.#aligned(sought);
    const isOpen = seen.some(({ aligned }) => aligned.endedAtNs === undefined);
    // Beyond the usual questions there are only those about what goes on though the client has left.
    const isOver = askAtNs.length <= ASK_AFTER_ABORT_MS.length - ASK_AFTER_MS.length && !isOpen;
    const choice = choose(sight, {
      candidates: (basis) => seen.flatMap(({ aligned }) => (shareKey(basis, aligned, sight) ? [aligned] : [])),
      alike: (basis, fits) => {
        const key = peerTextKeyOf(basis, sight.lanes);
        if (key === undefined || sought.wholeTexts === undefined) return [];
        if (!sought.wholeTexts.includes(key)) return undefined;
        return seen.map(({ aligned }) => aligned).filter((one) => keysFor(basis, one).includes(key) && fits(one));
      },
      rivals: (basis) => roster.rivalsOf(sight, basis),
      isLast: isLast || (sight.outcome === 'client_abort' && isOver),
      slackNs: Math.max(0, ...seen.map(({ errorNs }) => errorNs)),
    });
    if (choice === 'wait') return;
    if (typeof choice === 'string') this.#giveUp(sought, sought.answered ? choice : 'peer');
    else this.#pair(sought, choice, seen.find(({ aligned }) => aligned === choice.inner)?.original ?? choice.inner);
  }

  /** The candidates on our clock, as far as one that fits them is possible. */
  #aligned({ sight, candidates }: Sought) {
    const atNs = nowNs();
    return candidates.flatMap((original) => {
      if (this.#taken.has(original.id)) return [];
      const lead = this.#clock.within(leadOf(sight, original, undefined), atNs);
      if (lead === undefined) return [];
      return [{ original, aligned: shifted(original, middleOf(lead)), errorNs: halfOf(lead) }];
    });
  }

  #pair(sought: Sought, pair: Pair, original: Sight): void {
    const { sight, roster, settle } = sought;
    const atNs = nowNs();
    const lead = leadOf(sight, original, matchTexts(sight, original));
    // Text that came out before it went in, whatever the clocks: this is no pair.
    if (lead.lowNs > lead.highNs) return this.#giveUp(sought, 'content');
    this.#clock.learn(lead, atNs);
    const known = this.#clock.within(lead, atNs) ?? lead;
    this.#sought.delete(sight.id);
    roster.remove(sight.id);
    for (const { id } of [pair.inner, ...pair.failedTries]) this.#taken.add(id);
    const inner = shifted(original, middleOf(known));
    const between = { name: this.#options.hop, clockErrorNs: halfOf(known) };
    settle({ hop: hopFactsOf(sight, { ...pair, inner, match: matchTexts(sight, inner) }, between) });
  }

  #giveUp({ sight, roster, settle }: Sought, reason: UnpairedReason): void {
    this.#sought.delete(sight.id);
    roster.giveUp(sight.id);
    settle({ unpaired: { hop: this.#options.hop, reason } });
  }
}
