// Goal: beats are numbered without a hole, each thing is told in one beat and again in every `hello`, and what is slow
// to make is made no more often than it is due. Method: a feed before sources that the test fills; the time of day is
// moved on by hand.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LIVE_OPEN_MAX_COUNT, LIVE_STATE_MS, LIVE_STRIP_MS } from '../../../../src/base/live-limits.ts';
import type { RecentExchange } from '../../../../src/judge/report.ts';
import { GAP } from '../../../../src/measure/gap.ts';
import { ChunkLog } from '../../../../src/record/chunk-log.ts';
import { LiveFeed, type LiveSources } from '../../../../src/telemetry/live/feed.ts';
import type { LiveBeat, LiveHello, LiveState } from '../../../../src/telemetry/live/frame.ts';
import type { LiveWants } from '../../../../src/telemetry/live/messages.ts';
import type { OpenSight } from '../../../../src/telemetry/live/rows.ts';
import { createMetricStore } from '../../../../src/telemetry/store.ts';
import { createSummary } from '../../../../src/telemetry/summary.ts';
import { ms } from '../../../support/record-builder.ts';
import { reportOf, usualStream } from '../reports.ts';

const STARTED = 1_700_000_000_000;
let feed: LiveFeed | undefined;

beforeEach(() => {
  vi.useFakeTimers({ now: STARTED });
});
afterEach(() => {
  feed?.close();
  vi.useRealTimers();
});

function setUp() {
  const ended: RecentExchange[] = [];
  const sights: OpenSight[] = [];
  const asked = { summaryCount: 0, openMax: 0, stallMs: 100 };
  const store = createMetricStore({ specs: [GAP], known: {}, startEpochMs: 0 });
  const summary = createSummary();
  const sources: LiveSources = {
    store,
    data: {
      ready: () => ({ ok: true, reasons: [] }),
      summary() {
        asked.summaryCount += 1;
        return summary.read();
      },
      engines: () => [],
      floors: () => [],
      diagnoses: () => [],
      hops: () => [],
      jobs: () => ({ open: [], recent: [] }),
    },
    gaps: () => summary.gaps(),
    about: () => ({ version: '1.2.3', stallMs: { default: asked.stallMs }, upstreams: [] }),
    open(maxCount) {
      asked.openMax = maxCount;
      return { openCount: sights.length, sights: sights.slice(0, maxCount) };
    },
    ended: (totalCount) => ({ totalCount: ended.length, recent: ended.slice(totalCount) }),
    self: () => ({
      atNs: Date.now() * 1e6,
      lags: [],
      cpuNs: 0,
      rssBytes: 1,
      relayCount: 1,
      chunkCount: 0,
      tapeDropped: {},
      taintedGaps: {},
      shed: {},
      exports: [],
      readerDetachedCount: 0,
      cpuThrottledNs: undefined,
    }),
  };
  feed = new LiveFeed(sources);
  return { feed, ended, sights, asked, store };
}

function told(live: LiveFeed, wants: Partial<LiveWants>) {
  const events = live.events({ hello: false, beat: false, state: false, watcherCount: 1, ...wants });
  const dataOf = <Data>(bytes: Uint8Array | undefined): Data | undefined => {
    if (bytes === undefined) return undefined;
    const [, name, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(new TextDecoder().decode(bytes)) ?? [];
    expect(name).toBeDefined();
    return JSON.parse(data ?? '') as Data;
  };
  return {
    hello: dataOf<LiveHello>(events.hello),
    beat: dataOf<LiveBeat>(events.beat),
    state: dataOf<LiveState>(events.state),
  };
}

function recent(id: string): RecentExchange {
  return { id, outcome: 'ok', wireEnd: 'complete', report: reportOf(usualStream(3), { id }) };
}

function sight(id: string): OpenSight & { readonly chunks: ChunkLog } {
  const view = { id, openedAtEpochMs: Date.now(), route: 'r', class: 'c', model: 'm' };
  const more = { phase: 'stream', ageMs: 1, chunkCount: 0 } as const;
  return {
    view: { ...view, ...more },
    ttftNs: undefined,
    gapMaxNs: undefined,
    stallCount: 0,
    stalls: [],
    chunks: new ChunkLog(),
  };
}

function addChunk({ chunks, view }: ReturnType<typeof sight>): void {
  const receivedAtNs = ms(Date.now() - view.openedAtEpochMs);
  const row = chunks.add({
    receivedAtNs,
    writtenAtNs: receivedAtNs,
    errorBoundNs: 0,
    bytes: 1,
    queuedBytes: 0,
    flags: 0,
  });
  chunks.flush(row ?? 0, receivedAtNs);
}

test('numbers go on from a hello to the beats behind it, also when both are made at once', () => {
  const { feed: live } = setUp();
  const first = told(live, { hello: true }).hello?.beat.seq ?? 0;
  expect(told(live, { beat: true }).beat?.seq).toBe(first + 1);
  const both = told(live, { beat: true, hello: true });
  expect([both.beat?.seq, both.hello?.beat.seq]).toEqual([first + 2, first + 2]);
  expect(told(live, { beat: true, state: true }).beat?.seq).toBe(first + 3);
});

test('an ended exchange is told in one beat, and in every hello', () => {
  const { feed: live, ended } = setUp();
  ended.push(recent('a'));
  const ids = (beat: LiveBeat | undefined): string[] => (beat?.ended ?? []).map(({ id }) => id);
  expect(ids(told(live, { hello: true }).hello?.beat)).toEqual(['a']);
  ended.push(recent('b'));
  expect(ids(told(live, { beat: true }).beat)).toEqual(['b']);
  expect(ids(told(live, { beat: true }).beat)).toEqual([]);
  ended.push(recent('c'));
  const both = told(live, { beat: true, hello: true });
  expect([ids(both.beat), ids(both.hello?.beat)]).toEqual([['c'], ['a', 'b', 'c']]);
  expect(ids(told(live, { beat: true }).beat)).toEqual([]);
});

test('columns come with the beat behind their second, and all of them with a hello', async () => {
  const { feed: live, store } = setUp();
  told(live, { hello: true });
  store.histogram(GAP, { class: 'c', model: 'm', point: 'received' }).record(ms(20));
  await vi.advanceTimersByTimeAsync(2_100);
  const [first, second, ...more] = told(live, { beat: true }).beat?.columns ?? [];
  expect([first?.atEpochMs, second?.atEpochMs, more]).toEqual([STARTED, STARTED + 1_000, []]);
  expect(first?.counts['c']?.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(second?.counts).toEqual({});
  expect(told(live, { beat: true }).beat?.columns).toEqual([]);
  expect(told(live, { hello: true }).hello?.beat.columns).toHaveLength(2);
});

test('a strip is told as far as it is new, and whole with a hello', () => {
  const { feed: live, sights } = setUp();
  const one = sight('a');
  sights.push(one);
  addChunk(one);
  told(live, { hello: true });
  expect(told(live, { beat: true }).beat?.open[0]).not.toHaveProperty('strip');
  vi.setSystemTime(STARTED + 1_000);
  addChunk(one);
  const strip = told(live, { beat: true }).beat?.open[0]?.strip;
  expect([strip?.fromBin, strip?.received]).toEqual([STARTED / 50, `1${'0'.repeat(19)}1`]);
  vi.setSystemTime(STARTED + 1_200);
  addChunk(one);
  expect(told(live, { beat: true }).beat?.open[0]?.strip).toMatchObject({ received: '10001', flushed: '10001' });
  const whole = told(live, { hello: true }).hello?.beat.open[0]?.strip;
  expect(whole?.received).toMatch(/^0*10{19}10001$/);
  expect(whole?.received).toHaveLength(LIVE_STRIP_MS / 50);
});

test('all open exchanges are counted, and as many asked for as a beat may list', () => {
  const { feed: live, sights, asked } = setUp();
  for (let index = 0; index < LIVE_OPEN_MAX_COUNT + 5; index += 1) sights.push(sight(`s${index}`));
  const { beat } = told(live, { hello: true }).hello ?? {};
  expect([beat?.openCount, beat?.open.length]).toEqual([LIVE_OPEN_MAX_COUNT + 5, LIVE_OPEN_MAX_COUNT]);
  expect(asked.openMax).toBe(LIVE_OPEN_MAX_COUNT);
});

test('who comes between two states gets the one before; one that is due is made anew', () => {
  const { feed: live, asked } = setUp();
  const first = told(live, { hello: true }).hello?.state;
  vi.setSystemTime(STARTED + LIVE_STATE_MS - 1);
  expect(told(live, { hello: true }).hello?.state).toEqual(first);
  expect(asked.summaryCount).toBe(1);
  expect(told(live, { beat: true, state: true }).state?.atEpochMs).toBe(STARTED + LIVE_STATE_MS - 1);
  vi.setSystemTime(STARTED + 2 * LIVE_STATE_MS);
  expect(told(live, { hello: true }).hello?.state.atEpochMs).toBe(STARTED + 2 * LIVE_STATE_MS);
  expect(asked.summaryCount).toBe(3);
});

test('what a reload changed goes to those who watch already, once, whoever comes in between', () => {
  const { feed: live, asked } = setUp();
  const next = (wants: Partial<LiveWants> = { beat: true, state: true }) => {
    vi.setSystemTime(Date.now() + LIVE_STATE_MS);
    return told(live, wants);
  };
  expect(next({ hello: true }).hello?.about.stallMs).toEqual({ default: 100 });
  expect(next().state?.about).toBeUndefined();
  asked.stallMs = 250;
  expect(next({ hello: true }).hello?.about.stallMs).toEqual({ default: 250 });
  expect(next().state?.about?.stallMs).toEqual({ default: 250 });
  expect(next().state?.about).toBeUndefined();
});

test('a wall clock that is set back breaks nothing', () => {
  const { feed: live, sights } = setUp();
  const one = sight('a');
  sights.push(one);
  addChunk(one);
  told(live, { hello: true });
  vi.setSystemTime(STARTED - 3_600_000);
  const row = one.chunks.add({
    receivedAtNs: ms(500),
    writtenAtNs: 0,
    errorBoundNs: 0,
    bytes: 1,
    queuedBytes: 0,
    flags: 0,
  });
  expect(row).toBe(1);
  expect(told(live, { beat: true }).beat?.open[0]?.id).toBe('a');
});

test('two processes have two names', () => {
  const names = [setUp(), setUp()].map(({ feed: live }) => {
    const name = told(live, { hello: true }).hello?.about.process;
    live.close();
    return name;
  });
  expect(new Set(names).size).toBe(2);
});
