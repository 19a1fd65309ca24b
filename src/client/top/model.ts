// What a picture is drawn from: what is known of a sidecar by its feed, how the connection to it stands, and streams as
// rows that are alike whether they are open or ended. Knows nothing of how it is shown.
import { defined } from '../../measure/defined.ts';
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
import { applyBeat, applyState, type LiveModel, type LiveStream, startModel } from '../../telemetry/live/model.ts';
import type { Strip } from '../../telemetry/live/shown-strip.ts';

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
  readonly strip?: Strip;
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

export class TopModel {
  readonly #url: string;
  #link: Link;
  #live: LiveModel | undefined;
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

  hello(hello: LiveHello, nowEpochMs: number): void {
    if (this.#live !== undefined && this.#live.about.process !== hello.about.process) {
      this.#restartedAtEpochMs = nowEpochMs;
      this.#totals = [];
    }
    this.#live = startModel(hello, this.#live);
    this.#count(hello.state);
    this.setLink('live', nowEpochMs);
  }

  /** False when one was missed, or none was expected: the feed has to be asked anew. */
  beat(beat: LiveBeat, nowEpochMs: number): boolean {
    const next = this.#live && applyBeat(this.#live, beat);
    if (next === undefined) return false;
    this.#live = next;
    this.setLink('live', nowEpochMs);
    return true;
  }

  state(state: LiveState): void {
    if (this.#live === undefined) return;
    this.#live = applyState(this.#live, state);
    this.#count(state);
  }

  view(): TopView {
    const live = this.#live;
    const rate = this.#rate();
    return {
      url: this.#url,
      link: this.#link,
      atEpochMs: live?.atEpochMs ?? 0,
      openCount: live?.openCount ?? 0,
      streams: live === undefined ? [] : [...live.open, ...live.ended].map((each) => toTopStream(each)),
      columns: live?.columns ?? [],
      ...(live !== undefined && { about: live.about, state: live.state }),
      ...(rate !== undefined && { exchangesPerSecond: rate }),
      ...(this.#restartedAtEpochMs !== undefined && { restartedAtEpochMs: this.#restartedAtEpochMs }),
    };
  }

  #count({ atEpochMs, classes }: LiveState): void {
    const exchangeCount = classes.reduce((sum, each) => sum + each.exchangeCount, 0);
    const last = this.#totals.at(-1);
    if (last !== undefined && atEpochMs <= last.atEpochMs) this.#totals.pop();
    this.#totals.push({ atEpochMs, exchangeCount });
    if (this.#totals.length > RATE_STATES_COUNT) this.#totals.shift();
  }

  #rate(): number | undefined {
    const [first, last] = [this.#totals[0], this.#totals.at(-1)];
    if (first === undefined || last === undefined || last.atEpochMs <= first.atEpochMs) return undefined;
    return (1000 * (last.exchangeCount - first.exchangeCount)) / (last.atEpochMs - first.atEpochMs);
  }
}

function toTopStream({ id, isOpen, row, strip }: LiveStream): TopStream {
  const { class: name, edge, model, chunkCount, stallCount, stalls } = row;
  return {
    id,
    isOpen,
    class: name,
    model,
    chunkCount,
    stallCount,
    stalls,
    ...('phase' in row ? ofOpen(row) : ofEnded(row)),
    ...defined({ edge, strip }),
  };
}

function ofOpen({
  phase,
  ageMs,
  silentMs,
  gapMaxMs,
}: LiveOpen): Pick<TopStream, 'word' | 'ageMs' | 'silentMs' | 'gapMaxMs'> {
  return { word: phase, ageMs, ...defined({ silentMs, gapMaxMs }) };
}

function ofEnded({ outcome, durationNs, gapMaxNs }: LiveEnded): Pick<TopStream, 'word' | 'ageMs' | 'gapMaxMs'> {
  const gapMaxMs = gapMaxNs === undefined ? undefined : gapMaxNs / NS_PER_MS;
  return { word: outcome, ageMs: durationNs / NS_PER_MS, ...defined({ gapMaxMs }) };
}
