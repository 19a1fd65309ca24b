// Goal: whoever watches the live feed is told what happens, in order and with nothing left out or told in a way that
// cannot be applied twice; those who may not watch do not, and what a stream says is never in it.
// Method: raw sockets to a sidecar as its users run it, before an engine that writes when it is told.
import { afterEach, expect, test } from 'vitest';
import { LIVE_BEAT_MS, LIVE_COLUMN_MS, LIVE_RETRY_MS, LIVE_WATCHERS_MAX_COUNT } from '../../src/base/live-limits.ts';
import type { LiveBeat, LiveOpen } from '../../src/telemetry/live/frame.ts';
import type { OpenDetail } from '../../src/telemetry/live/open-detail.ts';
import type { ClassSummary } from '../../src/telemetry/summary.ts';
import { useBench } from '../support/bench.ts';
import { LiveClient } from '../support/live-client.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const CANARY = 'Canary-9f31';
const KEY = 'sk-Canary-77aa';

const bench = useBench({ args: ['--trace-url', 'http://127.0.0.1:9/trace/{traceId}'] });
const watchers: LiveClient[] = [];

afterEach(() => {
  for (const watcher of watchers.splice(0)) watcher.close();
});

function watch(lines?: readonly string[], port = bench.sidecar.adminPort): LiveClient {
  const watcher = new LiveClient(port, lines);
  watchers.push(watcher);
  return watcher;
}

/** An exchange that has begun to stream and goes on as the test says. */
async function opened(model: string): Promise<{ readonly exchange: EngineExchange; readonly client: RawClient }> {
  const plan = bench.engine.plan(async (exchange) => {
    await exchange.write(HEAD);
  });
  const client = await bench.client();
  const messages = [{ role: 'user', content: CANARY }];
  const body = JSON.stringify({ model, stream: true, messages });
  client.request(chatRequest({ body, lines: [`authorization: Bearer ${KEY}`, `${PLAN_FIELD}: ${plan.id}`] }));
  await client.responseHead();
  return { exchange: await plan.exchange, client };
}

async function say(exchange: EngineExchange, count: number, pauseMs = 20): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await exchange.write(c(D(CANARY)));
    await sleep(pauseMs);
  }
}

const ending = (exchange: EngineExchange): Promise<void> => exchange.write(c(FINISH), c(DONE), END);

const find = (beat: LiveBeat, id: string): LiveOpen | undefined => beat.open.find((open) => open.id === id);

/** Chunks that the strips of an exchange tell, when each is put over the ones before it. */
function stripTotals(watcher: LiveClient, id: string): { readonly received: number; readonly flushed: number } {
  const bins = new Map<string, number>();
  for (const { name, data } of watcher.events) {
    if (name !== 'hello' && name !== 'beat') continue;
    const strip = find(name === 'hello' ? data.beat : data, id)?.strip;
    if (strip === undefined) continue;
    for (const side of ['received', 'flushed'] as const) {
      for (const [at, digit] of [...strip[side]].entries()) {
        bins.set(`${side} ${strip.fromBin + at}`, Number.parseInt(digit, 36));
      }
    }
  }
  const total = (side: string): number =>
    [...bins].filter(([key]) => key.startsWith(side)).reduce((sum, [, count]) => sum + count, 0);
  return { received: total('received'), flushed: total('flushed') };
}

test('a watcher is told first what is, then what happens, in numbered beats', async () => {
  const watcher = watch();
  const hello = await watcher.next('hello');
  expect(watcher.head).toContain('content-type: text/event-stream');
  expect(watcher.retryMs).toBe(LIVE_RETRY_MS);
  expect(hello.about).toMatchObject({
    beatMs: LIVE_BEAT_MS,
    stallMs: { default: 100 },
    upstreams: [{ route: 'default', origin: `http://127.0.0.1:${bench.engine.port}` }],
    traceUrl: 'http://127.0.0.1:9/trace/{traceId}',
  });
  await watcher.next('beat', ({ seq }) => seq === hello.beat.seq + 4);
  const seqs = watcher.events.flatMap(({ name, data }) => (name === 'beat' ? [data.seq] : []));
  expect(seqs).toEqual(seqs.map((_, index) => hello.beat.seq + 1 + index));
  expect(watcher.names()[0]).toBe('hello');
  const state = await watcher.next('state');
  expect(state.self).toMatchObject({ relayCount: 1, watcherCount: 1, readerDetachedCount: 0 });
  expect(state.self.rssBytes).toBeGreaterThan(1e7);
  const { classes } = JSON.parse((await bench.sidecar.admin('/api/summary')).text) as { classes: unknown };
  expect(state.classes).toEqual(classes);
});

test('each chunk of a stream is told once, however often its bin is', async () => {
  const watcher = watch();
  await watcher.next('hello');
  const { exchange, client } = await opened('strips');
  await say(exchange, 30);
  const beat = await watcher.next('beat', ({ open }) => open.some(({ chunkCount }) => chunkCount === 30));
  const [open] = beat.open;
  expect(open).toMatchObject({ model: 'other', class: 'default', stallCount: 0, stalls: [] });
  const { id = '' } = open ?? {};
  // One who comes now sees the same from its `hello` on.
  const second = watch();
  for (const each of [watcher, second]) {
    const isWhole = (): true | undefined => (stripTotals(each, id).flushed >= 30 ? true : undefined);
    await poll('all of its chunks', isWhole);
    expect(stripTotals(each, id)).toEqual({ received: 30, flushed: 30 });
  }
  await ending(exchange);
  await client.response();
  await watcher.next('beat', ({ ended }) => ended.some((row) => row.id === id));
  await watcher.next('beat', ({ columns }) => columns.some(({ counts }) => counts['default'] !== undefined));
  await sleep(2 * LIVE_COLUMN_MS);
  const columns = watcher.events.flatMap(({ name, data }) => (name === 'beat' ? data.columns : []));
  expect(new Set(columns.map(({ atEpochMs }) => atEpochMs)).size).toBe(columns.length);
  // Tests before this one had no stream; gaps whose stamps a busy machine has spoilt are left out.
  const gapCount = columns.flatMap(({ counts }) => counts['default'] ?? []).reduce((sum, count) => sum + count, 0);
  const { classes } = JSON.parse((await bench.sidecar.admin('/api/summary')).text) as { classes: ClassSummary[] };
  expect(gapCount).toBe(classes[0]?.gapCount);
  expect(gapCount).toBeGreaterThan(0);
});

test('a stall is told while its stream goes on, first without a cause and then with one', async () => {
  const watcher = watch();
  await watcher.next('hello');
  const { exchange, client } = await opened('stalls');
  await say(exchange, 12);
  await sleep(600);
  await say(exchange, 80);
  const told = await watcher.next('beat', ({ open }) => open.some(({ stalls }) => stalls[0]?.cause !== undefined));
  const open = told.open.find(({ stallCount }) => stallCount > 0);
  expect(open?.stalls[0]?.gapMs).toBeGreaterThanOrEqual(500);
  expect(open?.gapMaxMs).toBeGreaterThanOrEqual(500);
  const first = await watcher.next('beat', (beat) => beat.open.some(({ stallCount }) => stallCount > 0));
  expect(first.seq).toBeLessThan(told.seq);
  await ending(exchange);
  await client.response();
  const { ended } = await watcher.next('beat', (beat) => beat.ended.some(({ id }) => id === open?.id));
  const row = ended.find(({ id }) => id === open?.id);
  expect(row).toMatchObject({ outcome: 'ok', stallCount: open?.stallCount });
  expect(row?.stalls[0]?.cause).toBe(open?.stalls[0]?.cause);
});

test('an open exchange tells under its id what it has by now, and its record when it is over', async () => {
  const { exchange, client } = await opened('detail');
  await say(exchange, 5);
  const detail = await poll('five chunks', async () => {
    const { open } = JSON.parse((await bench.sidecar.admin('/api/streams')).text) as { open: { id: string }[] };
    const { text } = await bench.sidecar.admin(`/api/streams/${open[0]?.id}`);
    const one = JSON.parse(text) as OpenDetail;
    return one.chunks?.receivedAtNs.length === 5 ? one : undefined;
  });
  expect(detail.open).toMatchObject({ phase: 'stream', chunkCount: 5 });
  expect(detail.events.chunk).toEqual([0, 1, 2, 3, 4]);
  expect(detail.marks.headReceivedAtNs).toBeGreaterThan(0);
  expect(JSON.stringify(detail)).not.toContain(CANARY);
  await ending(exchange);
  await client.response();
  const { record } = await bench.sidecar.record('it', ({ request }) => request.model === 'detail');
  expect(record.chunks.receivedAtNs.slice(0, 5)).toEqual(detail.chunks.receivedAtNs);
  const report = await poll('the report', async () => {
    const { status, text } = await bench.sidecar.admin(`/api/streams/${detail.open.id}`);
    const one = JSON.parse(text) as { record?: { id: string } };
    return status === 200 ? one.record : undefined;
  });
  expect(report.id).toBe(detail.open.id);
});

test('neither text nor keys of anybody are in it', async () => {
  const watcher = watch();
  const { exchange, client } = await opened('said');
  await say(exchange, 5);
  await ending(exchange);
  await client.response();
  await watcher.next('beat', ({ ended }) => ended.length > 0);
  await watcher.next('state', ({ classes }) => classes.length > 0);
  const text = JSON.stringify(watcher.events);
  expect(text.length).toBeGreaterThan(1_000);
  for (const secret of [CANARY, KEY, KEY.slice(3)]) expect(text).not.toContain(secret);
});

test.each([
  ['a name that somebody pointed at this machine', ['host: evil.example']],
  ['a page of another origin', ['host: localhost', 'origin: http://evil.example']],
])('%s watches nothing', async (_name, lines) => {
  const watcher = watch([...lines, 'connection: close']);
  await watcher.untilEnd();
  expect(watcher.head).toContain('HTTP/1.1 403 ');
  expect(watcher.events).toEqual([]);
});

test('HEAD is answered as GET, without events', async () => {
  const response = await fetch(`http://127.0.0.1:${bench.sidecar.adminPort}/api/live`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
});

test('with all places taken the next one is told to come again, others are answered, and who leaves makes room', async () => {
  const all = Array.from({ length: LIVE_WATCHERS_MAX_COUNT }, () => watch());
  for (const each of all) await each.next('hello');
  const late = watch(['host: localhost', 'connection: close']);
  await late.untilEnd();
  expect(late.head).toContain('HTTP/1.1 503 ');
  expect(late.head).toMatch(/retry-after: \d/);
  expect(JSON.parse(late.rest)).toMatchObject({ error: 'too_many_watchers' });
  for (const path of ['/healthz', '/metrics', '/api/summary']) {
    expect([path, (await bench.sidecar.admin(path)).status]).toEqual([path, 200]);
  }
  const { self } = await all[0]!.next('state', (state) => state.self.watcherCount === LIVE_WATCHERS_MAX_COUNT);
  expect(self.watcherCount).toBe(LIVE_WATCHERS_MAX_COUNT);
  all[0]!.close();
  await poll('a place', async () => {
    const again = watch();
    await poll('an answer', () => (again.head === '' ? undefined : true));
    return again.head.includes(' 200 ') ? true : undefined;
  });
});

test('it ends cleanly with its sidecar, and the next process says that it is another one', async () => {
  const ids = new Set<string>();
  for (const round of ['first', 'second']) {
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${bench.engine.port}` });
    const watcher = watch(undefined, sidecar.adminPort);
    ids.add((await watcher.next('hello')).about.process);
    sidecar.signal('SIGTERM');
    await watcher.untilEnd();
    // Nothing half of an event.
    expect([round, watcher.end, watcher.rest]).toEqual([round, 'fin', '']);
    await sidecar.stop();
  }
  expect(ids.size).toBe(2);
});
