// What is known of a sidecar by the events of its feed so far: one model for all who watch, the page in a browser and
// `rubato top`. Pure: each event makes a new model of the old one, so a picture on hold keeps what it shows. Bounded,
// whatever comes. Knows nothing of connections, and nothing of how it is shown; brings nothing along that runs on Node.
import {
  LIVE_COLUMNS_MAX_COUNT,
  LIVE_KNOWN_BINS_MAX_COUNT,
  LIVE_KNOWN_ENDED_MAX_COUNT,
  LIVE_KNOWN_OPEN_MAX_COUNT,
} from '../../base/live-limits.ts';
import type { GapColumn, LiveAbout, LiveBeat, LiveEnded, LiveHello, LiveOpen, LiveStall, LiveState } from './frame.ts';
import { addBins, type Strip } from './shown-strip.ts';

export interface OpenStream {
  readonly isOpen: true;
  readonly id: string;
  readonly row: LiveOpen;
  readonly strip?: Strip | undefined;
}

export interface EndedStream {
  readonly isOpen: false;
  readonly id: string;
  readonly row: LiveEnded;
  /** Up to its end; absent where nothing of it is known. */
  readonly strip?: Strip | undefined;
}

export type LiveStream = OpenStream | EndedStream;

export interface LiveModel {
  readonly about: LiveAbout;
  readonly state: LiveState;
  readonly seq: number;
  /** Moment of the latest beat by the sidecar's clock. */
  readonly atEpochMs: number;
  /** Oldest first. */
  readonly columns: readonly GapColumn[];
  /** All that are open; `open` holds those that are listed. */
  readonly openCount: number;
  readonly open: readonly OpenStream[];
  /** Latest first. */
  readonly ended: readonly EndedStream[];
}

/** The first event of a connection. What was known before counts only if it came from the same process. */
export function startModel({ about, state, beat }: LiveHello, before?: LiveModel): LiveModel {
  const known = before?.about.process === about.process ? before : undefined;
  return addBeat(
    {
      about,
      state,
      seq: beat.seq,
      atEpochMs: beat.atEpochMs,
      // All that is remembered comes with the event: columns, and strips of those that are open.
      columns: [],
      openCount: 0,
      open: [],
      ended: known?.ended ?? [],
    },
    beat,
  );
}

/** Undefined when a beat was missed: what came in it is only to be had by connecting again. */
export function applyBeat(model: LiveModel, beat: LiveBeat): LiveModel | undefined {
  if (beat.seq > model.seq + 1) return undefined;
  // Told twice, it changes nothing; an older one would bring back what is over.
  return beat.seq < model.seq ? model : addBeat(model, beat);
}

export function applyState(model: LiveModel, state: LiveState): LiveModel {
  // What a reload changed holds from now on.
  return { ...model, state, about: state.about ?? model.about };
}

function addBeat(model: LiveModel, beat: LiveBeat): LiveModel {
  const strips = new Map(model.open.map(({ id, strip }) => [id, strip]));
  const binCount = binCountOf(model.about);
  const open = beat.open.slice(0, LIVE_KNOWN_OPEN_MAX_COUNT).map((row): OpenStream => {
    const before = strips.get(row.id);
    const strip = row.strip === undefined ? before : addBins(before, row.strip, binCount);
    return { isOpen: true, id: row.id, row, strip };
  });
  return {
    ...model,
    seq: beat.seq,
    atEpochMs: beat.atEpochMs,
    columns: addColumns(model, beat.columns),
    openCount: beat.openCount,
    open,
    ended: addEnded(model, beat.ended, strips),
  };
}

function binCountOf({ stripMs, binMs }: LiveAbout): number {
  return Math.min(LIVE_KNOWN_BINS_MAX_COUNT, Math.ceil(stripMs / binMs));
}

/** A column that is told again replaces the one of its moment. */
function addColumns({ about, columns }: LiveModel, added: readonly GapColumn[]): readonly GapColumn[] {
  const [first] = added;
  if (first === undefined) return columns;
  const maxCount = Math.min(about.columnsMaxCount, LIVE_COLUMNS_MAX_COUNT);
  return [...columns.filter(({ atEpochMs }) => atEpochMs < first.atEpochMs), ...added].slice(-maxCount);
}

function addEnded(
  { about, ended }: LiveModel,
  added: readonly LiveEnded[],
  strips: ReadonlyMap<string, Strip | undefined>,
): readonly EndedStream[] {
  if (added.length === 0) return ended;
  const ids = new Set(added.map(({ id }) => id));
  const before = new Map(ended.filter(({ id }) => ids.has(id)).map(({ id, strip }) => [id, strip]));
  const binCount = binCountOf(about);
  const fresh = added.toReversed().map((row): EndedStream => {
    const known = before.get(row.id) ?? strips.get(row.id);
    const strip = row.strip === undefined ? known : addBins(known, row.strip, binCount);
    return { isOpen: false, id: row.id, row, strip };
  });
  return [...fresh, ...ended.filter(({ id }) => !ids.has(id))].slice(0, LIVE_KNOWN_ENDED_MAX_COUNT);
}

/** Which stall a row tells of: the latest whose cause is known, or the latest of all. */
export function tellingStall({ stalls }: { readonly stalls: readonly LiveStall[] }): LiveStall | undefined {
  return stalls.findLast(({ cause }) => cause !== undefined && cause !== 'unknown') ?? stalls.at(-1);
}
