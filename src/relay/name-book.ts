// Where upstreams are, known before a stream asks: each name is looked up on a timer of its own, and a
// connection goes to the addresses of the latest answer. Only a name of which nothing is known yet makes a
// connection wait. What failed is tried last, and the family that worked first. Opens no socket.
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { nowNs } from '../base/clock.ts';
import {
  ADDRESS_FAILED_MS,
  NAME_REFRESH_MAX_MS,
  NAME_REFRESH_MIN_MS,
  NAME_RETRY_MIN_MS,
  NAME_USED_MS,
} from '../base/limits.ts';
import type { NameAnswer } from './name-lookup.ts';

/** What a name is known by. */
interface Entry {
  readonly name: string;
  /** Of the latest answer that had any; none before the first. */
  addresses: readonly string[];
  /** They are the system's: no name server knows the name. */
  bySystem: boolean;
  /** The family of the last connection that came about. */
  family: 4 | 6 | undefined;
  /** When a connection to an address failed last. */
  readonly failedAtNs: Map<string, number>;
  /** Where the next connection begins in the list, so that they spread as look-ups would spread them. */
  turn: number;
  usedAtNs: number;
  askedAtNs: number;
  asking: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** `system`: where no name server knows the name the system may. */
export type FindName = (name: string, system: boolean) => Promise<NameAnswer>;

export class NameBook {
  readonly #find: FindName;
  readonly #entries = new Map<string, Entry>();

  constructor(find: FindName) {
    this.#find = find;
  }

  /** Looks after these names and no others; those that are new are looked up at once. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, entry] of this.#entries) {
      if (names.has(name)) continue;
      clearTimeout(entry.timer);
      this.#entries.delete(name);
    }
    for (const name of names) if (isIP(name) === 0) this.#refresh(this.#entryOf(name));
  }

  /** For `net.connect`: calls back at once when the name is known. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    const entry = this.#entryOf(name);
    entry.usedAtNs = nowNs();
    const answer = (): void => {
      const found = this.#inOrder(entry).map((address) => ({ address, family: familyOf(address) }));
      if (options.all === true) return callback(null, found);
      callback(null, found[0]?.address ?? '', found[0]?.family);
    };
    if (entry.addresses.length > 0) return answer();
    // Out of the promise, so that what the socket makes of it cannot end as an unhandled rejection.
    this.#refresh(entry).then(
      () => process.nextTick(answer),
      (fault: NodeJS.ErrnoException) => process.nextTick(callback, fault, []),
    );
  };

  /** A connection to this address came about. */
  onConnected(name: string, address: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    entry.family = familyOf(address);
    entry.failedAtNs.delete(address);
  }

  /** One did not, or not in time for the next to be left untried. */
  onFailed(name: string, address: string): void {
    this.#entries.get(name)?.failedAtNs.set(address, nowNs());
  }

  /** No address of the name could be reached: it may have moved. */
  onUnreachable(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined || nowNs() - entry.askedAtNs < NAME_RETRY_MIN_MS * 1e6) return;
    void this.#refresh(entry).catch(() => undefined);
  }

  #entryOf(name: string): Entry {
    const present = this.#entries.get(name);
    if (present !== undefined) return present;
    const entry: Entry = {
      name,
      addresses: [],
      bySystem: false,
      family: undefined,
      failedAtNs: new Map(),
      turn: 0,
      usedAtNs: nowNs(),
      askedAtNs: Number.NEGATIVE_INFINITY,
      asking: undefined,
      timer: undefined,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  /** One question at a time; whoever asks meanwhile gets its answer. */
  #refresh(entry: Entry): Promise<void> {
    entry.asking ??= this.#ask(entry).finally(() => {
      entry.asking = undefined;
    });
    // Somebody may wait for it, or nobody: both are fine.
    entry.asking.catch(() => undefined);
    return entry.asking;
  }

  async #ask(entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    entry.askedAtNs = nowNs();
    let ttlMs: number | undefined;
    try {
      // With a good answer in hand no thread that others need is spent on a better one.
      const answer = await this.#find(entry.name, entry.addresses.length === 0 || entry.bySystem);
      entry.addresses = answer.addresses;
      entry.bySystem = answer.bySystem;
      ttlMs = answer.ttlMs;
      for (const address of entry.failedAtNs.keys()) {
        if (!answer.addresses.includes(address)) entry.failedAtNs.delete(address);
      }
    } finally {
      // Without an answer the old one goes on, and the question with it.
      if (this.#entries.get(entry.name) === entry) this.#later(entry, ttlMs ?? NAME_REFRESH_MIN_MS);
    }
  }

  #later(entry: Entry, ttlMs: number): void {
    const isUsed = nowNs() - entry.usedAtNs < NAME_USED_MS * 1e6;
    const waitMs = isUsed ? Math.min(Math.max(ttlMs, NAME_REFRESH_MIN_MS), NAME_REFRESH_MAX_MS) : NAME_REFRESH_MAX_MS;
    entry.timer = setTimeout(() => void this.#refresh(entry), waitMs);
    entry.timer.unref();
  }

  #inOrder(entry: Entry): string[] {
    const { addresses, family, failedAtNs } = entry;
    const failedSinceNs = nowNs() - ADDRESS_FAILED_MS * 1e6;
    const rank = (address: string): number =>
      ((failedAtNs.get(address) ?? Number.NEGATIVE_INFINITY) > failedSinceNs ? 2 : 0) +
      (family !== undefined && familyOf(address) !== family ? 1 : 0);
    const start = entry.turn % addresses.length;
    entry.turn += 1;
    return [...addresses.slice(start), ...addresses.slice(0, start)].toSorted((a, b) => rank(a) - rank(b));
  }
}

function familyOf(address: string): 4 | 6 {
  return isIPv6(address) ? 6 : 4;
}
