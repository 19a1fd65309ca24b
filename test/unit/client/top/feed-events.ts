// Events of the live feed of a sidecar at work, for pictures of it; each part can be replaced.
import type {
  LiveAbout,
  LiveBeat,
  LiveEnded,
  LiveHello,
  LiveOpen,
  LiveSelf,
  LiveState,
} from '../../../../src/telemetry/live/frame.ts';
import type { ClassSummary } from '../../../../src/telemetry/summary.ts';
import { liveAbout, liveBeat, liveEnded, liveOpen, liveState, SELF } from '../../../support/live-events.ts';

export const MS = 1e6;
/** A round moment, so that bins and columns begin there. */
export const AT = 1_800_000_000_000;

export function about(part: Partial<LiveAbout> = {}): LiveAbout {
  return liveAbout('first', {
    startedAtEpochMs: AT - 3_725_000,
    stripMs: 30_000,
    columnsMaxCount: 600,
    gapEdgesNs: [1, 5, 10, 25, 50, 100, 250, 1_000, 10_000].map((edgeMs) => edgeMs * MS),
    stallMs: { interactive: 100, batch: 1_000 },
    upstreams: [{ route: 'default', origin: 'http://127.0.0.1:8000' }],
    ...part,
  });
}

export function beat(part: Partial<LiveBeat> = {}): LiveBeat {
  return liveBeat(1, { atEpochMs: AT, ...part });
}

export function open(part: Partial<LiveOpen> = {}): LiveOpen {
  return liveOpen('0-1', {
    openedAtEpochMs: AT - 12_300,
    class: 'interactive',
    model: 'llama',
    ageMs: 12_300,
    chunkCount: 240,
    silentMs: 20,
    gapMaxMs: 52.5,
    ...part,
  });
}

export function ended(part: Partial<LiveEnded> = {}): LiveEnded {
  return liveEnded('0-0', {
    openedAtEpochMs: AT - 20_000,
    class: 'interactive',
    model: 'llama',
    durationNs: 8_000 * MS,
    ttftNs: 130 * MS,
    gapMaxNs: 61 * MS,
    chunkCount: 120,
    ...part,
  });
}

export function classSummary(part: Partial<ClassSummary> = {}): ClassSummary {
  const spread = (p50: number, p95: number, p99: number) => ({
    count: 1_000,
    minNs: MS,
    p50Ns: p50 * MS,
    p95Ns: p95 * MS,
    p99Ns: p99 * MS,
    maxNs: 2 * p99 * MS,
  });
  return {
    class: 'interactive',
    exchangeCount: 1_234,
    outcomeCounts: { ok: 1_222, client_abort: 12 },
    gapCount: 100_000,
    stallCount: 7,
    ttft: spread(123.4, 240.1, 300.2),
    gap: spread(20.1, 31, 45.6),
    worst: {
      id: '0-9',
      openedAtEpochMs: AT - 60_000,
      model: 'llama',
      outcome: 'ok',
      gapMaxNs: 1_203.4 * MS,
    },
    ttftParts: {},
    ttftAt: {
      p99: {
        id: '0-7',
        ttftNs: 300.2 * MS,
        queueBasis: 'model',
        prefillBasis: 'model',
        parts: [
          { part: 'queue', partNs: 60 * MS },
          { part: 'prefill', partNs: 210.2 * MS },
          { part: 'network', partNs: 0 },
          { part: 'other', partNs: 30 * MS },
        ],
      },
    },
    promptBuckets: {},
    objectives: [],
    warnings: [],
    ...part,
  };
}

export function self(part: Partial<LiveSelf> = {}): LiveSelf {
  return {
    ...SELF,
    relayLagMs: 0.42,
    mainLagMs: 3,
    cpuRatio: 0.123,
    rssBytes: 150 * 1024 * 1024,
    chunkCount: 1_000_000,
    chunksPerSecond: 1_250,
    ...part,
  };
}

export function state(part: Partial<LiveState> = {}): LiveState {
  return { ...liveState(AT), classes: [classSummary()], self: self(), ...part };
}

export function hello(part: Partial<LiveHello> = {}): LiveHello {
  return { about: about(), state: state(), beat: beat(), ...part };
}

/** A beat's columns, one a second, the last one `agoMs` before {@link AT}. */
export function columns(all: readonly Readonly<Record<string, readonly number[]>>[], agoMs = 0): LiveBeat['columns'] {
  return all.map((counts, index) => ({ atEpochMs: AT - agoMs - (all.length - 1 - index) * 1_000, counts }));
}
