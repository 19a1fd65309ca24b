// Events of the live feed with as little in them as their types ask for; a test says what it is about.
import type {
  LiveAbout,
  LiveBeat,
  LiveEnded,
  LiveHello,
  LiveOpen,
  LiveSelf,
  LiveState,
} from '../../src/telemetry/live/frame.ts';

export const NOW_EPOCH_MS = 1_700_000_000_000;

export const SELF: LiveSelf = {
  cpuRatio: 0,
  rssBytes: 0,
  relayCount: 1,
  watcherCount: 1,
  chunkCount: 0,
  chunksPerSecond: 0,
  tapeDropped: {},
  taintedGaps: {},
  shed: {},
  exports: [],
  readerDetachedCount: 0,
  warnings: [],
};

export function liveState(atEpochMs = NOW_EPOCH_MS): LiveState {
  return {
    atEpochMs,
    ready: { ok: true, reasons: [] },
    classes: [],
    histograms: [],
    engines: [],
    floors: [],
    diagnoses: [],
    hops: [],
    jobs: { open: [], recent: [] },
    self: SELF,
  };
}

export function liveBeat(seq: number, parts: Partial<LiveBeat> = {}): LiveBeat {
  const open = parts.open ?? [];
  return { seq, atEpochMs: NOW_EPOCH_MS + seq * 500, columns: [], openCount: open.length, open, ended: [], ...parts };
}

export function liveAbout(process: string, parts: Partial<LiveAbout> = {}): LiveAbout {
  return {
    process,
    version: '0.1.0',
    startedAtEpochMs: NOW_EPOCH_MS,
    beatMs: 500,
    stateMs: 2_000,
    binMs: 50,
    stripMs: 500,
    columnMs: 1_000,
    columnsMaxCount: 3,
    gapEdgesNs: [1e6, 1e7],
    stallMs: { chat: 100 },
    upstreams: [],
    ...parts,
  };
}

export function liveHello(process: string, beat: LiveBeat): LiveHello {
  return { about: liveAbout(process), state: liveState(), beat };
}

export function liveOpen(id: string, parts: Partial<LiveOpen> = {}): LiveOpen {
  return {
    id,
    openedAtEpochMs: NOW_EPOCH_MS,
    route: 'default',
    class: 'chat',
    model: 'm',
    phase: 'stream',
    ageMs: 1_000,
    chunkCount: 3,
    stallCount: 0,
    stalls: [],
    ...parts,
  };
}

export function liveEnded(id: string, parts: Partial<LiveEnded> = {}): LiveEnded {
  return {
    id,
    openedAtEpochMs: NOW_EPOCH_MS,
    route: 'default',
    class: 'chat',
    model: 'm',
    outcome: 'ok',
    wireEnd: 'complete',
    durationNs: 2e9,
    stallCount: 0,
    chunkCount: 3,
    doubts: [],
    stalls: [],
    ...parts,
  };
}
