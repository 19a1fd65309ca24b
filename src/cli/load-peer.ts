// Asks a rubato before the engine what it saw of the requests of a load, a few at a time while the load goes on, and
// gathers what lies between. Bounded in requests that wait; a peer that is gone costs the comparison only.
import { nowNs } from '../base/clock.ts';
import { LOAD_PEER_WAITING_MAX_COUNT } from '../base/load-limits.ts';
import { createLog } from '../base/log.ts';
import {
  PEER_BATCH_MAX_COUNT,
  PEER_GATHER_MS,
  PEER_GREET_EVERY_MS,
  SIGHT_ROWS_MAX_COUNT,
} from '../base/pairing-limits.ts';
import { type PeerFigures, type PeerSight, PeerTally } from '../client/load/peer-figures.ts';
import type { LoadExchange } from '../client/load/result.ts';
import { PeerClient } from '../observe/pairing/peer-client.ts';
import type { Sight } from '../observe/pairing/sight.ts';
import type { PeerConfig } from '../config/config.ts';

const NS_PER_MS = 1e6;
/** When it is asked, after an end here: its own end may be a little later, and its main thread busy. */
const ASK_AFTER_MS = [300, 1_500, 4_000];

interface Sought {
  readonly exchange: Pick<LoadExchange, 'ordinal' | 'ttftNs' | 'gapsNs'>;
  readonly ids: Sight['ids'];
  readonly endedAtNs: number;
  triesCount: number;
}

export class LoadPeer {
  readonly #name: string;
  readonly #client: PeerClient;
  readonly #tally = new PeerTally();
  readonly #sought = new Set<Sought>();
  #timer: NodeJS.Timeout | undefined;
  #greetTimer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor({ name, admin }: PeerConfig, tls: { readonly caPem: string | undefined; readonly insecure: boolean }) {
    this.#name = name;
    this.#client = new PeerClient({ origin: admin.origin, tls, log: createLog({ level: 'silent' }) });
  }

  /** To be awaited before the first request: a rubato remembers only for those who have asked. False: no answer. */
  async start(): Promise<boolean> {
    this.#greetTimer = setInterval(() => void this.#client.ask([]), PEER_GREET_EVERY_MS).unref();
    this.#timer = setInterval(() => void this.#look(), PEER_GATHER_MS);
    return (await this.#client.ask([])) !== undefined;
  }

  add({ ordinal, ttftNs, gapsNs, traceId, requestId }: LoadExchange): void {
    if (this.#sought.size >= LOAD_PEER_WAITING_MAX_COUNT || traceId === undefined) {
      this.#tally.addUnmatched();
      return;
    }
    const exchange = { ordinal, gapsNs, ...(ttftNs !== undefined && { ttftNs }) };
    const ids = { traceId, ...(requestId !== undefined && { requestId }) };
    this.#sought.add({ exchange, ids, endedAtNs: nowNs(), triesCount: 0 });
  }

  /** Resolves when all that wait are found or given up, which takes a few seconds at most. */
  async finish(): Promise<PeerFigures> {
    while (this.#sought.size > 0) await new Promise((resolve) => void setTimeout(resolve, PEER_GATHER_MS));
    clearInterval(this.#timer);
    clearInterval(this.#greetTimer);
    await this.#client.close();
    return this.#tally.read(this.#name);
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const atNs = nowNs();
    const due = [...this.#sought].filter(
      ({ triesCount, endedAtNs }) => atNs >= endedAtNs + (ASK_AFTER_MS[triesCount] ?? 0) * NS_PER_MS,
    );
    for (let from = 0; from < due.length; from += PEER_BATCH_MAX_COUNT) {
      await this.#ask(due.slice(from, from + PEER_BATCH_MAX_COUNT));
    }
    this.#asking = false;
  }

  async #ask(batch: readonly Sought[]): Promise<void> {
    const answer = await this.#client.ask(
      batch.map(({ exchange, ids }) => ({ sight: askFor(exchange.ordinal, ids), byText: false })),
    );
    for (const sought of batch) {
      sought.triesCount += 1;
      const there = seenThere(answer?.sights ?? [], sought.ids);
      if (there !== undefined) this.#tally.add(sought.exchange, there);
      else if (sought.triesCount < ASK_AFTER_MS.length) continue;
      else this.#tally.addUnmatched();
      this.#sought.delete(sought);
    }
  }
}

/** Only its ids are asked by. */
function askFor(ordinal: number, ids: Sight['ids']): Sight {
  const facts = { streamed: true, terminal: false, endMark: false, usage: false, lengthStated: false };
  const counts = { textEventCount: 0, eventCount: 0, keepAliveCount: 0, receivedBytes: 0 };
  return { id: String(ordinal), ids, openedAtNs: 0, facts: { ...facts, ...counts }, lanes: [] };
}

/** Where it was seen more than once, before a hop and behind it, the first sight is the one next to us. */
function seenThere(sights: readonly Sight[], ids: Sight['ids']): PeerSight | undefined {
  const own = sights.filter((sight) => sight.ids.traceId === ids.traceId || sight.ids.requestId === ids.requestId);
  if (own.length === 0 || own.some(({ endedAtNs }) => endedAtNs === undefined)) return undefined;
  const [first] = own.toSorted((a, b) => a.openedAtNs - b.openedAtNs);
  if (first === undefined) return undefined;
  const moments = first.lanes.flatMap(({ atNs }) => atNs).toSorted((a, b) => a - b);
  // One that is too long was thinned, and its gaps with it.
  const isWhole = first.lanes.every(({ atNs }) => atNs.length < SIGHT_ROWS_MAX_COUNT);
  const [firstAtNs] = moments;
  return {
    ...(firstAtNs !== undefined && { ttftNs: firstAtNs - first.openedAtNs }),
    textAtNs: isWhole ? moments : [],
  };
}
