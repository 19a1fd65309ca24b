// What lies between us and a rubato before the engine: its figures of an exchange beside ours of the same one. Both
// are lengths, each by one clock, so nothing is assumed of how the two clocks stand to each other. Knows no wire.
import { LOAD_EXACT_GAPS_MAX_COUNT, LOAD_EXACT_MAX_COUNT } from '../../base/load-limits.ts';
import { Tally, type Rank, type TallySpread } from './tally.ts';

/**
 * Reads closer together than this count as one on both sides: what one side reads at once the other gives away in
 * several pieces a few microseconds apart.
 */
const ONE_READ_NS = 250_000;

/** An exchange as it was seen here. */
interface OwnSight {
  readonly ttftNs?: number;
  /** In order of time. */
  readonly gapsNs: readonly number[];
}

/** The same exchange as it was seen there. */
export interface PeerSight {
  /** Request head received → first token handed to the kernel for the client. */
  readonly ttftNs?: number;
  /** Moments at which generated text was handed to the kernel, ascending. */
  readonly textAtNs: readonly number[];
}

export interface PeerFigures {
  readonly name: string;
  readonly matchedCount: number;
  readonly unmatchedCount: number;
  /** Ours, from sent to received, of those that were found there. */
  readonly ttftHere: TallySpread;
  readonly ttftThere: TallySpread;
  /** Here less there, of each exchange. */
  readonly ttftAdded: TallySpread;
  readonly gapsHere: TallySpread;
  readonly gapsThere: TallySpread;
  /** A percentile of all gaps here less the same one there: of the whole, not of any one gap. */
  readonly gapsAdded: { readonly p50Ns?: number; readonly p95Ns?: number; readonly p99Ns?: number };
  /** Worst gap here less worst gap there, of each exchange; below 0 where the way evened it out. */
  readonly gapMaxAdded: TallySpread;
}

export class PeerTally {
  readonly #ttftHere = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #ttftThere = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #ttftAdded = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #gapsHere = new Tally(LOAD_EXACT_GAPS_MAX_COUNT);
  readonly #gapsThere = new Tally(LOAD_EXACT_GAPS_MAX_COUNT);
  readonly #gapMaxAdded = new Tally(LOAD_EXACT_MAX_COUNT);
  #matchedCount = 0;
  #unmatchedCount = 0;

  addUnmatched(): void {
    this.#unmatchedCount += 1;
  }

  add({ ttftNs, gapsNs }: OwnSight, there: PeerSight): void {
    this.#matchedCount += 1;
    if (ttftNs !== undefined && there.ttftNs !== undefined) {
      this.#ttftHere.add(ttftNs);
      this.#ttftThere.add(there.ttftNs);
      this.#ttftAdded.add(ttftNs - there.ttftNs);
    }
    const here = joined(gapsNs);
    const beyond = joined(gapsOf(there.textAtNs));
    for (const gapNs of here) this.#gapsHere.add(gapNs);
    for (const gapNs of beyond) this.#gapsThere.add(gapNs);
    if (here.length > 0 && beyond.length > 0) this.#gapMaxAdded.add(Math.max(...here) - Math.max(...beyond));
  }

  read(name: string): PeerFigures {
    const [gapsHere, gapsThere] = [this.#gapsHere.spread(), this.#gapsThere.spread()];
    return {
      name,
      matchedCount: this.#matchedCount,
      unmatchedCount: this.#unmatchedCount,
      ttftHere: this.#ttftHere.spread(),
      ttftThere: this.#ttftThere.spread(),
      ttftAdded: this.#ttftAdded.spread(),
      gapsHere,
      gapsThere,
      gapsAdded: {
        ...difference('p50Ns', gapsHere.p50Ns, gapsThere.p50Ns),
        ...difference('p95Ns', gapsHere.p95Ns, gapsThere.p95Ns),
        ...difference('p99Ns', gapsHere.p99Ns, gapsThere.p99Ns),
      },
      gapMaxAdded: this.#gapMaxAdded.spread(),
    };
  }
}

function gapsOf(momentsNs: readonly number[]): number[] {
  return momentsNs.slice(1).map((atNs, index) => atNs - (momentsNs[index] ?? atNs));
}

/** Gaps of reads, where those that lie within one read's time count as one. */
function joined(gapsNs: readonly number[]): number[] {
  const gaps: number[] = [];
  let carriedNs = 0;
  for (const gapNs of gapsNs) {
    carriedNs += gapNs;
    if (gapNs < ONE_READ_NS) continue;
    gaps.push(carriedNs);
    carriedNs = 0;
  }
  return gaps;
}

function difference(name: string, here: Rank | undefined, there: Rank | undefined): object {
  return typeof here === 'number' && typeof there === 'number' ? { [name]: here - there } : {};
}
