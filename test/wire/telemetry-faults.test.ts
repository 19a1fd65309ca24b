// Goal: a disk that is full or may not be written, and a log that nobody reads, cost records and lines,
// which are counted, and never a byte of a stream, memory or the end of the process.
// Method: a file system of 64 KiB made for the test (needs root, else skipped loudly), and a pipe that
// is full before the sidecar starts. Streams run meanwhile and are compared byte for byte.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { expectFleetExact, playFleet } from '../support/fleet.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const STREAM_COUNT = 60;
/** Retries come after 1, 2, 4, … s. */
const RECOVERY_MS = 20_000;
const EXIT_WAIT_MS = 8_000;

let engine: RawEngine;
let folder: string;

beforeAll(async () => {
  engine = await RawEngine.start();
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await engine.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rubato-faults-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Streams that come out as the engine wrote them, whatever the records do. */
async function playThrough(port: number, name: string): Promise<void> {
  const streams = await playFleet({ engine, port, name, streamCount: STREAM_COUNT, chunkCount: 20, paceMs: 5 });
  expectFleetExact(streams);
}

function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'rubato-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('skipped: no file system can be mounted here, so full and read-only disks are not tested\n');
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe.runIf(canMount())('a disk for records', () => {
  let sidecar: Sidecar;

  beforeEach(() => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]));
  afterEach(async () => {
    await sidecar.stop();
    execFileSync('umount', ['-l', folder]);
  });

  const recordFile = (): string => join(folder, 'records.jsonl');

  async function startSidecar(): Promise<void> {
    sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      args: ['--record', recordFile(), '--drain', '1'],
    });
  }

  async function recordCounts(): Promise<Record<'taken' | 'exported' | 'dropped' | 'queued', number>> {
    const samples = await sidecar.metrics();
    const count = (name: string): number => sumOf(samples, `rubato_self_${name}`, { signal: 'records' }) ?? NaN;
    return {
      taken: count('export_taken_total'),
      exported: count('exported_total'),
      dropped: count('export_dropped_total'),
      queued: count('export_queued'),
    };
  }

  const untilWritten = (): Promise<true> =>
    poll(
      'all records',
      async () => ((await recordCounts()).exported === STREAM_COUNT ? true : undefined),
      RECOVERY_MS,
      200,
    );

  /** Lines of the log about the record file, with the code of the fault. */
  const told = (): unknown[] =>
    sidecar.logs.filter(({ msg }) => String(msg).includes(recordFile())).map((line) => line['fault_code'] ?? 'well');

  async function expectWholeFile(): Promise<void> {
    expect(await recordCounts()).toEqual({ taken: STREAM_COUNT, exported: STREAM_COUNT, dropped: 0, queued: 0 });
    const lines = readFileSync(recordFile(), 'utf8').split('\n').slice(0, -1);
    const ids = lines.map((line) => (JSON.parse(line) as { record: { id: string } }).record.id);
    expect(new Set(ids).size).toBe(STREAM_COUNT);
    expect(ids).toHaveLength(STREAM_COUNT);
  }

  test('that is full holds whole records only, keeps the rest waiting and takes them when there is room', async () => {
    await startSidecar();
    await playThrough(sidecar.listenPort, 'full');
    await poll('a full disk', () => (told().includes('ENOSPC') ? true : undefined));
    const { taken, exported, dropped, queued } = await recordCounts();
    expect(exported + dropped + queued).toBe(taken);
    expect([exported < STREAM_COUNT, queued > 0]).toEqual([true, true]);
    execFileSync('mount', ['-o', 'remount,size=8m', folder]);
    await untilWritten();
    await expectWholeFile();
    expect(told()).toEqual(['ENOSPC', 'well']);
  });

  test('that may not be written is told of once, and nothing is lost when it may', async () => {
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    await startSidecar();
    await playThrough(sidecar.listenPort, 'read-only');
    await poll('a read-only disk', () => (told().includes('EROFS') ? true : undefined));
    expect((await recordCounts()).exported).toBe(0);
    execFileSync('mount', ['-o', 'remount,rw,size=8m', folder]);
    await untilWritten();
    await expectWholeFile();
    expect(told()).toEqual(['EROFS', 'well']);
  });

  test('that stays full does not keep the process from ending', async () => {
    await startSidecar();
    await playThrough(sidecar.listenPort, 'stays full');
    await poll('a full disk', () => (told().includes('ENOSPC') ? true : undefined));
    sidecar.signal('SIGTERM');
    await sidecar.untilExit(EXIT_WAIT_MS);
    expect([sidecar.exit?.code, sidecar.noise]).toEqual([0, []]);
  });
});

/** A pipe that takes nothing: it is full, and whoever could read it does not. */
function fullPipe(): { readonly writeEnd: number; close(): void } {
  const path = join(folder, 'stderr');
  execFileSync('mkfifo', [path]);
  const held = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  for (const size of [4_096, 1]) {
    try {
      for (;;) writeSync(held, Buffer.alloc(size, 'x'));
    } catch (fault) {
      expect((fault as NodeJS.ErrnoException).code).toBe('EAGAIN');
    }
  }
  return {
    writeEnd,
    close() {
      closeSync(writeEnd);
      closeSync(held);
    },
  };
}

describe('a log that nobody reads', () => {
  let child: ChildProcess | undefined;

  afterEach(() => child?.kill('SIGKILL'));

  test('costs lines only: streams run, pages are served, and the process ends when told', async () => {
    const [listen, admin] = [await freePort(), await freePort()];
    const pipe = fullPipe();
    const started = spawn(
      join(ROOT, 'node_modules/.bin/node'),
      `src/main.ts serve --upstream http://127.0.0.1:${engine.port} --log-level trace --engine-metrics off`
        .concat(` --listen 127.0.0.1:${listen} --admin 127.0.0.1:${admin}`)
        .split(' '),
      { cwd: ROOT, stdio: ['ignore', 'ignore', pipe.writeEnd] },
    );
    child = started;
    const exited = new Promise<number | null>((resolve) => started.once('exit', resolve));
    const ready = async (): Promise<true | undefined> => {
      const answer = await fetch(`http://127.0.0.1:${admin}/readyz`).catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    };
    await poll('the sidecar to be ready', ready, 15_000, 50);
    await playThrough(listen, 'unread');
    expect((await fetch(`http://127.0.0.1:${admin}/metrics`)).status).toBe(200);
    started.kill('SIGTERM');
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('still there'), EXIT_WAIT_MS).unref());
    expect(await Promise.race([exited, late])).toBe(0);
    pipe.close();
  });
});
