// Goal: with an edge before it and rubato behind it a gateway that holds is named, with how and how long; one that
// passes is not accused. What was seen on both sides is one exchange, however the gateway treats its ids (A2).
// Method: raw client → edge → a small gateway of known manners → main listener → raw engine; verdicts as the admin
// port tells them, and the same between two processes by --peer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HopState } from '../../src/judge/hop/state.ts';
import type { Report } from '../../src/judge/report.ts';
import { gapCount } from '../support/answer.ts';
import { useBench } from '../support/bench.ts';
import { useClients } from '../support/clients.ts';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { Gateway, type GatewayWay } from '../support/gateway.ts';
import { sumOf } from '../support/prometheus.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { c, chatRequest, delta, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const clientOf = useClients();

let count = 0;

/** Time before a token. */
type Pace = (token: number) => number;
const evenly =
  (everyMs: number): Pace =>
  () =>
    everyMs;
/** Fast and slow by turns: where an engine's beat is even, so many bytes and so much time are the same. */
const byTurns: Pace = (token) => (token % 40 < 20 ? 5 : 20);

/** `tokenCount` tokens in this pace; evenly each 20 ms is case A2. */
function tokens(tokenCount: number, pace: Pace, id: string) {
  return async (exchange: EngineExchange): Promise<void> => {
    await exchange.write(HEAD);
    let dueAtMs = performance.now();
    for (let token = 0; token < tokenCount; token += 1) {
      const waitMs = dueAtMs - performance.now();
      dueAtMs += pace(token);
      if (waitMs > 0) await sleep(waitMs);
      await exchange.write(c(delta({ content: `t${token} ` }, { id })));
    }
    await exchange.write(c(FINISH + DONE), END);
  };
}

interface Asked {
  readonly model: string;
  readonly body: string;
}

/** Plays one stream through this port and waits for its end. */
async function ask(engine: RawEngine, port: number, tokenCount: number, pace: Pace): Promise<Asked> {
  count += 1;
  const model = `hop-${count}`;
  const plan = engine.plan(tokens(tokenCount, pace, `chatcmpl-${count}`));
  const client = await clientOf(port);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response(0, 30_000);
  expect(response.complete).toBe(true);
  const { answer } = await plan.exchange;
  expect(response.body.toString()).toBe(answer?.body.toString());
  return { model, body: response.body.toString() };
}

/** What the sidecar reports of the exchange that it saw before the hop. */
async function outerReport(sidecar: Sidecar, model: string, isOuter: (report: Report) => boolean): Promise<Report> {
  return poll(`the report of ${model}`, async () => {
    for (const { record } of sidecar.records()) {
      if (record.request.model !== model) continue;
      const { status, text } = await sidecar.admin(`/api/streams/${record.id}`);
      const report = status === 200 ? (JSON.parse(text) as Report) : undefined;
      if (report !== undefined && isOuter(report)) return report;
    }
    return undefined;
  });
}

async function hopState(sidecar: Sidecar, name: string): Promise<HopState | undefined> {
  const { hops } = JSON.parse((await sidecar.admin('/api/hops')).text) as { hops: HopState[] };
  return hops.find(({ hop }) => hop === name);
}

const isAtEdge = ({ record }: Report): boolean => record.edge !== undefined;

/**
 * The first report that is sure, of a few. A machine that is busy blurs beats, and leaves clocks far apart, until
 * nothing can be said of one exchange; never the wrong thing.
 */
async function untilSure(once: () => Promise<Report>): Promise<Report> {
  let told = await once();
  for (let attempt = 1; attempt < 5 && told.hop?.word === 'unsure'; attempt += 1) told = await once();
  return told;
}

describe('an edge', () => {
  let gateway: Gateway;
  const bench = useBench(async () => {
    gateway = await Gateway.start();
    return { args: ['--edge', `holder@127.0.0.1:0=${gateway.url}`] };
  });
  beforeAll(() => void (gateway.innerPort = bench.sidecar.listenPort));
  afterAll(() => gateway.stop());

  async function verdictOf(way: GatewayWay, tokenCount: number, pace: Pace): Promise<Report> {
    gateway.way = way;
    const { model } = await ask(bench.engine, bench.sidecar.edgePort('holder'), tokenCount, pace);
    return outerReport(bench.sidecar, model, isAtEdge);
  }

  test('A2 a hop that releases every 25 events is named, with what it costs', async () => {
    const outer = await verdictOf({ name: 'events', count: 25 }, 100, evenly(20));
    const { record, hop } = outer;
    expect(record.hop).toMatchObject({ name: 'holder', pairedBy: 'trace', confirmed: true, attemptCount: 1 });
    expect(hop).toMatchObject({ hop: 'holder', word: 'holds' });
    // A saw from 480 ms to 0, four times; a busy machine adds, it takes nothing away.
    expect(hop?.holdMaxNs).toBeGreaterThan(450e6);
    expect(hop?.holdP50Ns).toBeGreaterThan(200e6);
    const inner = await outerReport(bench.sidecar, record.request.model ?? '', (report) => !isAtEdge(report));
    expect(inner.record.id).toBe(record.hop?.inner.id);
    expect(inner.hop).toBeUndefined();
    // Fewer gaps than behind the hop, and none of them counts where they would be taken for the engine's.
    expect(gapCount(inner)).toBeGreaterThan(3 * gapCount(outer));
    const gaps = sumOf(await bench.sidecar.metrics(), 'rubato_gap_seconds_count', { point: 'received' });
    expect(gaps).toBe(inner.figures.gapsReceived.count);
  });

  test('A2 a hop that passes what it gets is not accused', async () => {
    const { record, hop } = await verdictOf({ name: 'passes' }, 60, evenly(10));
    expect(record.hop).toMatchObject({ name: 'holder', confirmed: true });
    expect(hop?.word).not.toBe('holds');
  });

  test('the running verdict names it, and the metrics know it by its name', async () => {
    for (let round = 0; round < 3; round += 1) await verdictOf({ name: 'until_end' }, 30, evenly(10));
    const state = await hopState(bench.sidecar, 'holder');
    expect(state?.pairedBy.trace).toBeGreaterThanOrEqual(5);
    expect(state?.unpaired).toEqual({});
    expect(state?.word).toBe('holds');
    const metrics = await bench.sidecar.metrics();
    expect(sumOf(metrics, 'rubato_hop_hold_seconds_count', { hop: 'holder' })).toBe(state?.pairedCount);
    // Each stream was seen twice and is counted once.
    expect(sumOf(metrics, 'rubato_ttft_seconds_count')).toBe(state?.pairedCount);
  });

  test.each([
    ['size', { name: 'size', bytes: 1_024 }],
    ['timer', { name: 'timer', everyMs: 200 }],
    ['until_end', { name: 'until_end' }],
  ] as const)('the way is told: %s', async (word, way) => {
    const { hop } = await untilSure(() => verdictOf(way, 120, byTurns));
    expect(hop?.word).toBe('holds');
    // Where a busy machine blurs the beat there may be none to see; never another one.
    expect([word, 'rechunk']).toContain(hop?.way);
    expect(hop?.holdMaxNs).toBeGreaterThan(100e6);
  });

  test('a compressor that is never told to flush is told as one', async () => {
    gateway.way = { name: 'gzip' };
    count += 1;
    const model = `hop-${count}`;
    const plan = bench.engine.plan(tokens(120, byTurns, `chatcmpl-${count}`));
    const client = await clientOf(bench.sidecar.edgePort('holder'));
    client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    expect((await client.response()).complete).toBe(true);
    const { record, hop } = await outerReport(bench.sidecar, model, isAtEdge);
    expect(record.hop).toMatchObject({ confirmed: true });
    expect(record.hop?.changes).toContain('coding_added');
    expect(hop?.word).toBe('holds');
    expect(['compression', 'until_end']).toContain(hop?.way);
  });

  test.each([
    ['passes it on', false],
    ['goes on for nobody', true],
  ])('a client leaves, and the hop %s', async (_, keepsOn) => {
    gateway.way = { name: 'passes' };
    gateway.keepsOn = keepsOn;
    count += 1;
    const model = `hop-${count}`;
    const plan = bench.engine.plan(tokens(100, evenly(20), `chatcmpl-${count}`));
    const client = await clientOf(bench.sidecar.edgePort('holder'));
    client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.bodyBytes(400);
    client.rst();
    const { record } = await outerReport(bench.sidecar, model, isAtEdge);
    gateway.keepsOn = false;
    expect(record.end.outcome).toBe('client_abort');
    const { changes = [], abortNs } = record.hop ?? {};
    expect(changes.includes('abort_not_passed')).toBe(keepsOn);
    if (!keepsOn) expect(abortNs).toBeGreaterThan(0);
  });

  test('a gateway that drops the trace is seen through by the id of the answer', async () => {
    gateway.drops = ['traceparent', 'tracestate'];
    const { record, hop } = await verdictOf({ name: 'until_end' }, 30, evenly(10));
    gateway.drops = [];
    expect(record.hop).toMatchObject({ name: 'holder', pairedBy: 'response', confirmed: true });
    expect(hop).toMatchObject({ word: 'holds', way: 'until_end' });
  });
});

describe('two hops in a row', () => {
  let front: Gateway;
  let back: Gateway;
  const bench = useBench(async () => {
    [front, back] = [await Gateway.start(), await Gateway.start()];
    return { args: ['--edge', `front@127.0.0.1:0=${front.url}`, '--edge', `back@127.0.0.1:0=${back.url}`] };
  });
  beforeAll(() => {
    front.innerPort = bench.sidecar.edgePort('back');
    back.innerPort = bench.sidecar.listenPort;
  });
  afterAll(() => Promise.all([front.stop(), back.stop()]));

  test.each([
    ['front', 'back'],
    ['back', 'front'],
  ])('of which only %s holds: it is named, and %s is not accused', async (holder, other) => {
    const way: GatewayWay = { name: 'events', count: 20 };
    front.way = holder === 'front' ? way : { name: 'passes' };
    back.way = holder === 'back' ? way : { name: 'passes' };
    const { model } = await ask(bench.engine, bench.sidecar.edgePort('front'), 80, evenly(15));
    const reportAt = (edge: string) => outerReport(bench.sidecar, model, ({ record }) => record.edge === edge);
    const [held, passed] = [await reportAt(holder), await reportAt(other)];
    expect(held.record.hop).toMatchObject({ name: holder, pairedBy: 'trace', confirmed: true });
    expect(passed.record.hop).toMatchObject({ name: other, pairedBy: 'trace', confirmed: true });
    // In a row: what was seen behind the one is what was seen before the other.
    expect((await reportAt('front')).record.hop?.inner.id).toBe((await reportAt('back')).record.id);
    expect(held.hop?.word).toBe('holds');
    expect(passed.hop?.word).not.toBe('holds');
  });
});

describe('two relays', () => {
  let gateway: Gateway;
  const bench = useBench(async () => {
    gateway = await Gateway.start();
    return { args: ['--edge', `busy@127.0.0.1:0=${gateway.url}`, '--relays', '2'] };
  });
  beforeAll(() => void (gateway.innerPort = bench.sidecar.listenPort));
  afterAll(() => gateway.stop());

  test('many streams at once: each is found behind the hop, on whatever relay, and none accuses it', async () => {
    const { engine, sidecar } = bench;
    const port = sidecar.edgePort('busy');
    expectFleetExact(await playFleet({ engine, port, name: 'many', streamCount: 40, chunkCount: 50, paceMs: 20 }));
    const state = await poll('all pairs', async () => {
      const now = await hopState(sidecar, 'busy');
      return now?.pairedCount === 40 ? now : undefined;
    });
    expect([state.pairedBy, state.unpaired]).toEqual([{ trace: 40 }, {}]);
    expect(state.word).not.toBe('holds');
    expect(state.words.holds).toBeUndefined();
  });
});

test('a peer behind the hop tells what it saw, and the hop is named across two processes', async () => {
  const stops: (() => Promise<void>)[] = [];
  try {
    const engine = await RawEngine.start();
    stops.push(() => engine.stop());
    const inner = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    stops.push(() => inner.stop());
    const gateway = await Gateway.start();
    stops.push(() => gateway.stop());
    gateway.innerPort = inner.listenPort;
    const peer = `far@http://127.0.0.1:${inner.adminPort}`;
    const outer = await Sidecar.start({ upstream: gateway.url, args: ['--peer', peer] });
    stops.push(() => outer.stop());

    // Two clocks are laid side by side by what passes at once; a hop that only ever holds leaves them further apart.
    for (let round = 0; round < 3; round += 1) await ask(engine, outer.listenPort, 20, evenly(5));
    gateway.way = { name: 'events', count: 25 };
    const { record, hop } = await untilSure(async () => {
      const { model } = await ask(engine, outer.listenPort, 75, evenly(20));
      return outerReport(outer, model, () => true);
    });
    expect(record.hop).toMatchObject({ name: 'far', confirmed: true });
    expect(record.hop?.clockErrorNs).toBeGreaterThan(0);
    expect(hop).toMatchObject({ hop: 'far', word: 'holds' });
    expect(hop?.holdMaxNs).toBeGreaterThan(50e6);
    // The peer tells offsets and hashes; of what was said it tells nothing.
    const traceId = record.trace?.traceId ?? '';
    const { text } = await inner.admin(`/api/pairing?trace=${traceId}`);
    expect((JSON.parse(text) as { sights: unknown[] }).sights).toHaveLength(1);
    expect(text).not.toContain('t12 ');
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
});
