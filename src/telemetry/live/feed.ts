// The main thread's side of the live feed: makes the events that the admin port's thread asks for, and remembers what
// a new watcher wants to see of the time before it came. While nobody watches it keeps columns and looks at our own
// counts now and then, and does nothing else.
import { randomUUID } from 'node:crypto';
import { epochMs } from '../../base/clock.ts';
import {
  LIVE_BEAT_MS,
  LIVE_BIN_MS,
  LIVE_COLUMN_MS,
  LIVE_COLUMNS_MAX_COUNT,
  LIVE_ENDED_MAX_COUNT,
  LIVE_OPEN_MAX_COUNT,
  LIVE_SELF_LOOK_MS,
  LIVE_STATE_MS,
  LIVE_STRIP_MS,
  LIVE_STRIP_ROWS_MAX_COUNT,
} from '../../base/live-limits.ts';
import type { RecentExchange } from '../../judge/report.ts';
import type { AdminData } from '../admin-answers.ts';
import type { MetricStore } from '../store.ts';
import type { SummarySink } from '../summary.ts';
import { GAP_EDGES_NS, GapColumns } from './columns.ts';
import { endedStrip } from './ended-strip.ts';
import { eventBytes } from './event-bytes.ts';
import type { LiveAbout, LiveBeat, LiveEnded, LiveHello, LiveOpen, LiveState } from './frame.ts';
import type { LiveEvents, LiveWants } from './messages.ts';
import { gapHistogram } from './gap-histograms.ts';
import { endedRow, openRow, type OpenSight } from './rows.ts';
import { SelfView, type SelfCounts } from './self.ts';
import { binOf, stripOf } from './strip.ts';
import { StripMarks } from './strip-marks.ts';

export interface LiveSources {
  readonly store: MetricStore;
  readonly data: Pick<AdminData, 'ready' | 'summary' | 'engines' | 'floors' | 'diagnoses' | 'hops' | 'jobs'>;
  readonly gaps: SummarySink['gaps'];
  about(): Pick<LiveAbout, 'version' | 'listen' | 'stallMs' | 'upstreams' | 'traceUrl' | 'dashboardUrl'>;
  /** All open exchanges, and so many of them in detail, those that are silent longest first. */
  open(maxCount: number): { readonly openCount: number; readonly sights: readonly OpenSight[] };
  /** Exchanges that ended after the first `totalCount` ones, as far as they are remembered, the latest last. */
  ended(totalCount: number): { readonly totalCount: number; readonly recent: readonly RecentExchange[] };
  self(): SelfCounts;
}

/** The next column is looked at so long after it is over: a timer may be early by a millisecond. */
const AFTER_COLUMN_MS = 20;

/** Up to where the beats have told. */
interface Told {
  readonly atEpochMs: number;
  readonly columnCount: number;
  readonly endedCount: number;
}

const NOTHING_TOLD: Told = { atEpochMs: 0, columnCount: 0, endedCount: 0 };

export class LiveFeed {
  readonly #sources: LiveSources;
  readonly #process = randomUUID();
  readonly #startedAtEpochMs = epochMs();
  readonly #columns: GapColumns;
  readonly #self: SelfView;
  readonly #selfTimer: NodeJS.Timeout;
  #columnTimer: NodeJS.Timeout | undefined;
  #told: Told = NOTHING_TOLD;
  readonly #strips = new StripMarks();
  #seq = 0;
  #lastState: LiveState | undefined;
  /** As all who watch know it, in JSON: a reload makes another one, which goes to them with the next state. */
  #toldAbout: string | undefined;

  constructor(sources: LiveSources) {
    this.#sources = sources;
    this.#columns = new GapColumns(sources.store);
    this.#self = new SelfView(sources.self());
    this.#selfTimer = setInterval(() => this.#self.look(sources.self()), LIVE_SELF_LOOK_MS);
    this.#selfTimer.unref();
    this.#awaitColumn();
  }

  close(): void {
    clearInterval(this.#selfTimer);
    clearTimeout(this.#columnTimer);
  }

  /** Makes what is wanted. Whatever is told here counts as told to all who watch. */
  events({ hello, beat, state, watcherCount }: LiveWants): LiveEvents {
    const atEpochMs = epochMs();
    if (hello || beat) this.#seq += 1;
    const slow = state || hello ? this.#state(atEpochMs, state, watcherCount) : undefined;
    const news = beat ? this.#beat(atEpochMs, this.#told) : undefined;
    const whole = hello ? this.#beat(atEpochMs, NOTHING_TOLD) : undefined;
    return {
      ...(state && slow !== undefined && { state: eventBytes('state', slow) }),
      ...(news !== undefined && { beat: eventBytes('beat', news) }),
      ...(whole !== undefined &&
        slow !== undefined && {
          hello: eventBytes('hello', { about: this.#about(), state: slow, beat: whole } satisfies LiveHello),
        }),
    };
  }

  #beat(atEpochMs: number, told: Told): LiveBeat {
    const { totalCount, recent } = this.#sources.ended(told.endedCount);
    const { openCount, open } = this.#open(atEpochMs, told === NOTHING_TOLD);
    const columns = this.#columns.after(told.columnCount);
    this.#told = { atEpochMs, columnCount: this.#columns.madeCount, endedCount: totalCount };
    return { seq: this.#seq, atEpochMs, columns, openCount, open, ended: this.#ended(recent, atEpochMs, told) };
  }

  #open(atEpochMs: number, whole: boolean): { readonly openCount: number; readonly open: LiveOpen[] } {
    const { openCount, sights } = this.#sources.open(LIVE_OPEN_MAX_COUNT);
    const toBin = binOf(atEpochMs);
    const oldestBin = toBin - LIVE_STRIP_MS / LIVE_BIN_MS + 1;
    const rowsMaxCount = Math.ceil(LIVE_STRIP_ROWS_MAX_COUNT / Math.max(sights.length, 1));
    const open = sights.map((sight) => {
      const { chunks, view } = sight;
      const firstBin = whole ? oldestBin : this.#strips.firstBin(chunks, oldestBin);
      this.#strips.tell(chunks, view.openedAtEpochMs);
      if (firstBin === undefined) return openRow(sight, undefined);
      // Set back, the wall clock would have the window end before it begins.
      const fromBin = Math.min(firstBin, toBin);
      return openRow(sight, stripOf(chunks, view.openedAtEpochMs, { fromBin, toBin, rowsMaxCount }));
    });
    return { openCount, open };
  }

  #ended(recent: readonly RecentExchange[], atEpochMs: number, told: Told): LiveEnded[] {
    const listed = recent.slice(-LIVE_ENDED_MAX_COUNT);
    const oldestBin = binOf(atEpochMs) - LIVE_STRIP_MS / LIVE_BIN_MS + 1;
    // What came shortly before a beat may have been read from the tape behind it.
    const fromBin = Math.max(oldestBin, binOf(told.atEpochMs - LIVE_BEAT_MS));
    const rowsMaxCount = Math.ceil(LIVE_STRIP_ROWS_MAX_COUNT / Math.max(listed.length, 1));
    return listed.map((one) => endedRow(one, endedStrip(one.report, fromBin, rowsMaxCount)));
  }

  /** Whoever comes between two states gets the one before. */
  #state(atEpochMs: number, isDue: boolean, watcherCount: number): LiveState {
    const before = this.#lastState;
    const ageMs = before === undefined ? Infinity : Math.abs(atEpochMs - before.atEpochMs);
    if (before !== undefined && !isDue && ageMs < LIVE_STATE_MS) return before;
    const { data, gaps, self } = this.#sources;
    const about = this.#newAbout(isDue);
    this.#lastState = {
      atEpochMs,
      ...(about !== undefined && { about }),
      ready: data.ready(),
      classes: data.summary().classes,
      histograms: gaps().map((each) => gapHistogram(each.class, each.gapsNs)),
      engines: data.engines(),
      floors: data.floors(),
      diagnoses: data.diagnoses(),
      hops: data.hops(),
      jobs: data.jobs(),
      self: this.#self.read(self(), watcherCount),
    };
    return this.#lastState;
  }

  /** Undefined while it is what all who watch were told. One that is told only in a hello is told to the others too. */
  #newAbout(isDue: boolean): LiveAbout | undefined {
    const about = this.#about();
    const text = JSON.stringify(about);
    const isNew = this.#toldAbout !== undefined && this.#toldAbout !== text;
    if (isDue || this.#toldAbout === undefined) this.#toldAbout = text;
    return isNew && isDue ? about : undefined;
  }

  #about(): LiveAbout {
    return {
      process: this.#process,
      startedAtEpochMs: this.#startedAtEpochMs,
      beatMs: LIVE_BEAT_MS,
      stateMs: LIVE_STATE_MS,
      binMs: LIVE_BIN_MS,
      stripMs: LIVE_STRIP_MS,
      columnMs: LIVE_COLUMN_MS,
      columnsMaxCount: LIVE_COLUMNS_MAX_COUNT,
      gapEdgesNs: GAP_EDGES_NS,
      ...this.#sources.about(),
    };
  }

  #awaitColumn(): void {
    const leftMs = LIVE_COLUMN_MS - (epochMs() % LIVE_COLUMN_MS);
    this.#columnTimer = setTimeout(() => {
      this.#columns.look(epochMs());
      this.#awaitColumn();
    }, leftMs + AFTER_COLUMN_MS);
    this.#columnTimer.unref();
  }
}
