// One request of a load and one run of it, for tests that want most of it plain and say what they change.
import type { LoadExchange, LoadResult } from '../../../../src/client/load/result.ts';

const MS = 1e6;

/** Sent 5 ms late, answered well, and 90 ms long. */
export function sampleExchange(changes: Partial<LoadExchange> = {}): LoadExchange {
  return {
    ordinal: 3,
    class: 'chat',
    dueAtNs: 0,
    sentAtNs: 5 * MS,
    waitNs: 5 * MS,
    lateNs: 0,
    sentEpochMs: 0,
    outcome: 'ok',
    durationNs: 90 * MS,
    gapsNs: [],
    taintedCount: 0,
    stallCount: 0,
    eventCount: 0,
    textEventCount: 0,
    plannedPromptTokens: 4,
    plannedOutputTokens: 5,
    missed: [],
    ...changes,
  };
}

/** A run in which nothing came to anything. */
export function sampleResult(changes: Partial<LoadResult> = {}): LoadResult {
  return {
    schema: 1,
    url: 'http://engine:8000/v1/chat/completions',
    api: 'chat',
    model: 'm',
    schedule: 'closed loop',
    seed: 7,
    startedAtEpochMs: 0,
    warmupMs: 0,
    measuredNs: 1,
    warmupCount: 0,
    unsentCount: 0,
    openCount: 0,
    resentCount: 0,
    mostOpenCount: 1,
    stopped: false,
    classes: [],
    verdicts: [],
    generator: { late: { count: 0, neverCount: 0 }, warnings: [] },
    ...changes,
  };
}
