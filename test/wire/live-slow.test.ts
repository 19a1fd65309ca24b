// Goal: a watcher that reads slowly, or not at all, is held a fixed amount for, misses beats rather than delaying
// anybody, is told anew what is once it reads again, and is let go when it takes nothing for long; and with a main
// thread that does not answer, watchers are told so. Method: the port itself before a main thread whose events are as
// large as the test wants them, and a real sidecar whose main thread is kept busy by a signal.
import { afterEach, describe, expect, test } from 'vitest';
import { ADMIN_SLICE_TIMEOUT_MS } from '../../src/base/admin-limits.ts';
import { startAdmin, type AdminServer } from '../../src/telemetry/admin.ts';
import type { AdminData } from '../../src/telemetry/admin-answers.ts';
import type { LiveEvents, LiveWants } from '../../src/telemetry/live/messages.ts';
import { catchLog } from '../unit/telemetry/reports.ts';
import { useBench } from '../support/bench.ts';
import { LiveClient } from '../support/live-client.ts';
import { poll, sleep } from '../support/signal.ts';

const MIB = 1024 * 1024;
const encoder = new TextEncoder();

let admin: AdminServer | undefined;
const watchers: LiveClient[] = [];

afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.close();
  await admin?.close();
});

function watch(port: number): LiveClient {
  const watcher = new LiveClient(port);
  watchers.push(watcher);
  return watcher;
}

/** A main thread that pads each event to a size, and remembers what was wanted. */
async function startPadded(bytes: number): Promise<{ readonly port: number; readonly wanted: LiveWants[] }> {
  const wanted: LiveWants[] = [];
  let seq = 0;
  const padded = (name: string, data: unknown): Uint8Array =>
    encoder.encode(`event: ${name}\ndata: ${JSON.stringify({ data, pad: 'x'.repeat(bytes) })}\n\n`);
  const events = (wants: LiveWants): LiveEvents => {
    wanted.push(wants);
    seq += 1;
    return {
      ...(wants.hello && { hello: padded('hello', seq) }),
      ...(wants.beat && { beat: padded('beat', seq) }),
      ...(wants.state && { state: padded('state', seq) }),
    };
  };
  const data: Partial<AdminData> = { ready: () => ({ ok: true, reasons: [] }) };
  const log = catchLog();
  admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    data: data as AdminData,
    live: { events },
    pulses: [],
    log,
  });
  return { port: admin.port, wanted };
}

const seqOf = (data: unknown): number => (data as { readonly data: number }).data;

test('one that stops reading misses beats, another one beside it none, and it gets all anew when it reads again', async () => {
  const { port } = await startPadded(2 * MIB);
  const [slow, quick] = [watch(port), watch(port)];
  const first = seqOf(await slow.next('hello'));
  await quick.next('hello');
  slow.pause();
  // More than the kernel keeps for it on both sides.
  await quick.next('beat', (beat) => seqOf(beat) >= first + 14, 25_000);
  const beats = quick.events.flatMap(({ name, data }) => (name === 'beat' ? [seqOf(data)] : []));
  expect(beats).toEqual(beats.map((_, index) => (beats[0] ?? 0) + index));
  slow.resume();
  const anew = await slow.next('hello', (hello) => seqOf(hello) > first);
  await slow.next('beat', (beat) => seqOf(beat) > seqOf(anew));
  const told = slow.events.filter(({ name }) => name !== 'state').map(({ name, data }) => [name, seqOf(data)] as const);
  const at = told.findIndex(([name, seq]) => name === 'hello' && seq === seqOf(anew));
  const before = told[at - 1]?.[1] ?? 0;
  // Between the last beat that it got and the news of all, some were left out; afterwards none.
  expect(seqOf(anew)).toBeGreaterThan(before + 1);
  expect(told[at + 1]).toEqual(['beat', seqOf(anew) + 1]);
});

test('one that takes nothing is let go after a while, and the others stay', async () => {
  const { port, wanted } = await startPadded(4 * MIB);
  const [stuck, quick] = [watch(port), watch(port)];
  await stuck.next('hello');
  stuck.pause();
  await quick.next('hello');
  // It reads nothing, so it does not know; the count of those who watch does.
  const isLetGo = (): true | undefined => (wanted.at(-1)?.watcherCount === 1 ? true : undefined);
  await poll('it to be let go', isLetGo, 4 * ADMIN_SLICE_TIMEOUT_MS);
  expect(quick.end).toBeUndefined();
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
}, 60_000);

test('nobody is asked for anything while nobody watches, and once for all who do', async () => {
  const { port, wanted } = await startPadded(10);
  await sleep(700);
  expect(wanted).toEqual([]);
  const all = Array.from({ length: 5 }, () => watch(port));
  await Promise.all(all.map((each) => each.next('hello')));
  const [first] = all;
  await first?.next('beat');
  const count = wanted.length;
  await sleep(1_600);
  // Three beats or so, and not fifteen.
  expect(wanted.length - count).toBeLessThanOrEqual(6);
  for (const each of all) each.close();
  await sleep(600);
  const atLast = wanted.length;
  await sleep(1_200);
  expect(wanted.length).toBe(atLast);
});

test('who comes and goes all the time has the main thread asked a few times a second at most', async () => {
  const { port, wanted } = await startPadded(10);
  const fromMs = performance.now();
  for (let round = 0; round < 60; round += 1) {
    const watcher = watch(port);
    await sleep(25);
    watcher.close();
  }
  const seconds = (performance.now() - fromMs) / 1_000;
  expect(wanted.length).toBeLessThanOrEqual(4 * seconds + 2);
});

describe('a busy main thread', () => {
  const bench = useBench({
    nodeArgs: ['--import', './test/support/block-main.ts'],
    env: { TEST_BLOCK_MS: '8000' },
  });

  test('is told of after a while, and everything goes on behind it', async () => {
    const watcher = watch(bench.sidecar.adminPort);
    await watcher.next('hello');
    process.kill(bench.sidecar.pid, 'SIGUSR2');
    const { atEpochMs } = await watcher.next('busy');
    expect(atEpochMs).toBeGreaterThan(Date.now() - 10_000);
    const late = watch(bench.sidecar.adminPort);
    await poll('its head', () => (late.head === '' ? undefined : true));
    await late.next('hello');
    const beats = watcher.events.flatMap(({ name, data }) => (name === 'beat' ? [data.seq] : []));
    expect(beats).toEqual(beats.map((_, index) => (beats[0] ?? 0) + index));
    const behind = watcher.events.findIndex(({ name }) => name === 'busy');
    await watcher.next('beat', ({ seq }) => seq > (beats.at(-1) ?? 0));
    expect(watcher.names().slice(behind)).toContain('beat');
  });
});
