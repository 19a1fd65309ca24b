// What is known of a sidecar by the events of its live feed so far. Bounded: each collection has a cap, and whatever
// is older than the picture is let go. Knows nothing of connections, and nothing of how it is shown.
import {
  TOP_COLUMNS_MAX_COUNT,
  TOP_ENDED_MAX_COUNT,
  TOP_STRIP_BINS_MAX_COUNT,
  TOP_STRIPS_MAX_COUNT,
} from '../../base/top-limits.ts';
import type {
  GapColumn,
  LiveAbout,
  LiveBeat,
  LiveEnded,
  LiveHello,
  LiveOpen,
  LiveStall,
  LiveState,
} from '../../telemetry/live/frame.ts';
import { StripRing } from './strip-ring.ts';

/**
 * `live`: events come · `busy`: the sidecar's port answers, and its main thread does not · `lost`: the sidecar is gone
 * · `refused`: it is there and does not let us watch.
 */
export type LinkWord = 'connecting' | 'live' | 'busy' | 'lost' | 'refused';

export interface Link {
  readonly word: LinkWord;
  /** By this machine's clock. */
  readonly sinceEpochMs: number;
  /** What the other side, or the system, said. */
  readonly says?: string;
}

/** A stream as one row: open, or ended a while ago. */
export interface TopStream {
  readonly id: string;
  readonly isOpen: boolean;
  readonly class: string;
  readonly edge?: string;
  readonly model: string;
  /** Phase of an open one, outcome of an ended one. */
  readonly word: string;
  readonly ageMs: number;
  readonly chunkCount: number;
  readonly silentMs?: number;
  readonly gapMaxMs?: number;
  readonly stallCount: number;
  readonly stalls: readonly LiveStall[];
  readonly strip?: StripRing;
}

/** Everything that a picture is drawn from. */
export interface TopView {
  readonly url: string;
  readonly link: Link;
  readonly about?: LiveAbout;
  readonly state?: LiveState;
  /** Moment of the latest beat by the sidecar's clock; 0 before the first. */
  readonly atEpochMs: number;
  readonly openCount: number;
  /** Open ones as the feed has them, then the ended ones, the latest first. */
  readonly streams: readonly TopStream[];
  readonly columns: readonly GapColumn[];
  /** Over the last ten seconds or so; absent until two states came. */
  readonly exchangesPerSecond?: number;
  /** When another process answered under the same address, by this machine's clock. */
  readonly restartedAtEpochMs?: number;
}

/** States between whose first and last the rate is taken. */
const RATE_STATES_COUNT = 6;
const NS_PER_MS = 1e6;

interface KnownStrip {
  readonly ring: StripRing;
  seenAtEpochMs: number;
}

export class TopModel {
  readonly #url: string;
  #link: Link;
  #about: LiveAbout | undefined;
  #state: LiveState | undefined;
  #seq = 0;
  #atEpochMs = 0;
  #openCount = 0;
  #open: readonly LiveOpen[] = [];
  readonly #ended = new Map<string, LiveEnded>();
  readonly #strips = new Map<string, KnownStrip>();
  #columns: GapColumn[] = [];
  #totals: { readonly atEpochMs: number; readonly exchangeCount: number }[] = [];
  #restartedAtEpochMs: number | undefined;

  constructor(url: string, nowEpochMs: number) {
    this.#url = url;
    this.#link = { word: 'connecting', sinceEpochMs: nowEpochMs };
  }

  /** What is known stays: it is the last thing that was seen. */
  setLink(word: LinkWord, nowEpochMs: number, says?: string): void {
    // Since when it is so is not moved by being told again, nor by a further attempt that fails otherwise.
    const isSame = this.#link.word === word;
    const sinceEpochMs = isSame ? this.#link.sinceEpochMs : nowEpochMs;
    this.#link = { word, sinceEpochMs, ...(says !== undefined && { says }) };
  }

  hello({ about, state, beat }: LiveHello, nowEpochMs: number): void {
    const isOther = this.#about !== undefined && this.#about.process !== about.process;
    if (isOther) this.#restartedAtEpochMs = nowEpochMs;
    if (isOther || this.#about === undefined) this.#forget();
    this.#about = about;
    this.#columns = [];
    this.#apply(beat);
    this.state(state);
    this.setLink('live', nowEpochMs);
  }

  /** False when one was missed, or none was expected: the feed has to be asked anew. */
  beat(beat: LiveBeat, nowEpochMs: number): boolean {
    if (this.#about === undefined || beat.seq > this.#seq + 1) return false;
    // Told twice, it changes nothing; an older one would bring back what is over.
    if (beat.seq >= this.#seq) this.#apply(beat);
    this.setLink('live', nowEpochMs);
    return true;
  }

  state(state: LiveState): void {
    this.#state = state;
    const exchangeCount = state.classes.reduce((sum, each) => sum + each.exchangeCount, 0);
    const last = this.#totals.at(-1);
    if (last !== undefined && state.atEpochMs <= last.atEpochMs) this.#totals.pop();
    this.#totals.push({ atEpochMs: state.atEpochMs, exchangeCount });
    if (this.#totals.length > RATE_STATES_COUNT) this.#totals.shift();
  }

  view(): TopView {
    const rate = this.#rate();
    return {
      url: this.#url,
      link: this.#link,
      atEpochMs: this.#atEpochMs,
      openCount: this.#openCount,
      streams: this.#streams(),
      columns: this.#columns,
      ...(this.#about !== undefined && { about: this.#about }),
      ...(this.#state !== undefined && { state: this.#state }),
      ...(rate !== undefined && { exchangesPerSecond: rate }),
      ...(this.#restartedAtEpochMs !== undefined && { restartedAtEpochMs: this.#restartedAtEpochMs }),
    };
  }

  #forget(): void {
    this.#ended.clear();
    this.#strips.clear();
    this.#totals = [];
  }

  #apply(beat: LiveBeat): void {
    this.#seq = beat.seq;
    this.#atEpochMs = beat.atEpochMs;
    this.#openCount = beat.openCount;
    this.#open = beat.open;
    for (const open of beat.open) this.#applyStrip(open);
    for (const ended of beat.ended) {
      this.#ended.delete(ended.id);
      this.#ended.set(ended.id, ended);
    }
    for (const column of beat.columns) this.#addColumn(column);
    this.#prune();
  }

  #applyStrip({ id, strip }: LiveOpen): void {
    let known = this.#strips.get(id);
    if (known === undefined) {
      if (strip === undefined) return;
      const { binMs = 1, stripMs = 1 } = this.#about ?? {};
      const binCount = Math.min(Math.ceil(stripMs / binMs), TOP_STRIP_BINS_MAX_COUNT);
      known = { ring: new StripRing(binCount), seenAtEpochMs: 0 };
      this.#strips.set(id, known);
    }
    known.seenAtEpochMs = this.#atEpochMs;
    if (strip !== undefined) known.ring.apply(strip);
  }

  #addColumn(column: GapColumn): void {
    const last = this.#columns.at(-1);
    if (last !== undefined && column.atEpochMs <= last.atEpochMs) return;
    this.#columns.push(column);
    const most = Math.min(this.#about?.columnsMaxCount ?? 0, TOP_COLUMNS_MAX_COUNT);
    if (this.#columns.length > most) this.#columns.splice(0, this.#columns.length - most);
  }

  /** A strip outlives its stream by as long as it shows anything. */
  #prune(): void {
    while (this.#ended.size > TOP_ENDED_MAX_COUNT) this.#ended.delete(this.#ended.keys().next().value ?? '');
    const stripMs = this.#about?.stripMs ?? 0;
    for (const [id, { seenAtEpochMs }] of this.#strips)
      if (this.#atEpochMs - seenAtEpochMs > stripMs || this.#strips.size > TOP_STRIPS_MAX_COUNT)
        this.#strips.delete(id);
  }

  #rate(): number | undefined {
    const [first, last] = [this.#totals[0], this.#totals.at(-1)];
    if (first === undefined || last === undefined || last.atEpochMs <= first.atEpochMs) return undefined;
    return (1000 * (last.exchangeCount - first.exchangeCount)) / (last.atEpochMs - first.atEpochMs);
  }

  #streams(): TopStream[] {
    const open = this.#open.map((each) => openStream(each, this.#strips.get(each.id)?.ring));
    const isOpen = new Set(open.map(({ id }) => id));
    const ended = [...this.#ended.values()].filter(({ id }) => !isOpen.has(id)).toReversed();
    return [...open, ...ended.map((each) => endedStream(each, this.#strips.get(each.id)?.ring))];
  }
}

function openStream(open: LiveOpen, strip: StripRing | undefined): TopStream {
  const { id, class: name, edge, model, phase, ageMs, chunkCount, silentMs, gapMaxMs, stallCount, stalls } = open;
  return {
    id,
    isOpen: true,
    class: name,
    model,
    word: phase,
    ageMs,
    chunkCount,
    stallCount,
    stalls,
    ...(edge !== undefined && { edge }),
    ...(silentMs !== undefined && { silentMs }),
    ...(gapMaxMs !== undefined && { gapMaxMs }),
    ...(strip !== undefined && { strip }),
  };
}

function endedStream(ended: LiveEnded, strip: StripRing | undefined): TopStream {
  const { id, class: name, edge, model, outcome, durationNs, chunkCount, gapMaxNs, stallCount, stalls } = ended;
  return {
    id,
    isOpen: false,
    class: name,
    model,
    word: outcome,
    chunkCount,
    stallCount,
    stalls,
    ageMs: durationNs / NS_PER_MS,
    ...(edge !== undefined && { edge }),
    ...(gapMaxNs !== undefined && { gapMaxMs: gapMaxNs / NS_PER_MS }),
    ...(strip !== undefined && { strip }),
  };
}
