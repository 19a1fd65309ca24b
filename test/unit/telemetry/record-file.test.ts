// Goal: every record is a line from which its figures follow, or is counted as dropped.
// Method: a folder of its own; faults by a folder that is missing, a device that is full.
import { chmod, mkdir, mkdtemp, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { RecordFile, type RecordFileOptions } from '../../../src/telemetry/record-file.ts';
import { poll } from '../../support/signal.ts';
import { catchLog, reportOf, usualStream } from './reports.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rubato-records-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const REPORT = reportOf(usualStream(3));
const LINE_BYTES = Buffer.byteLength(JSON.stringify({ record: REPORT.record, figures: REPORT.figures })) + 1;

function open(options: Partial<RecordFileOptions> = {}) {
  const log = catchLog();
  const path = options.path ?? join(folder, 'records.jsonl');
  const file = new RecordFile({ path, log, retryFirstMs: 10, ...options });
  const add = (count: number): void => {
    for (let index = 0; index < count; index += 1) file.onReport(REPORT);
  };
  return { file, path, log, add };
}

const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

describe('lines', () => {
  it('hold record and figures, and the figures follow from the record', async () => {
    const { file, path, add } = open();
    add(2);
    await file.close();
    for (const line of await linesOf(path)) {
      const { record, figures } = JSON.parse(line);
      expect(record.schema).toBe(1);
      expect(figures).toEqual(JSON.parse(JSON.stringify(measureRecord(record))));
    }
    expect(file.stats()).toEqual({ takenCount: 2, writtenCount: 2, droppedCount: 0, queuedCount: 0 });
  });

  it('are added to a file that was there, which only its owner can read', async () => {
    const first = open();
    first.add(1);
    await first.file.close();
    const second = open();
    second.add(1);
    await second.file.close();
    expect(await linesOf(second.path)).toHaveLength(2);
    expect((await stat(second.path)).mode & 0o777).toBe(0o600);
  });
});

describe('writing', () => {
  /** The system is asked so often to write. */
  async function countWrites(): Promise<{ count(): number; restore(): void }> {
    const handle = await openFile(join(folder, 'other'), 'w');
    const write = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'write');
    await handle.close();
    return { count: () => write.mock.calls.length, restore: () => write.mockRestore() };
  }

  it('gathers what comes within a moment, and needs nobody to close the file', async () => {
    const writes = await countWrites();
    const { file, path, add } = open();
    add(2);
    await Promise.resolve();
    add(3);
    expect(file.stats().queuedCount).toBe(5);
    await poll('the records', () => (file.stats().writtenCount === 5 ? true : undefined));
    expect([(await linesOf(path)).length, writes.count()]).toEqual([5, 1]);
    add(1);
    await poll('one more', () => (file.stats().writtenCount === 6 ? true : undefined));
    expect(writes.count()).toBe(2);
    writes.restore();
    await file.close();
  });
});

describe('rotation', () => {
  it('starts a new file before one grows too large and keeps so many old ones', async () => {
    const { file, path, add } = open({ maxBytes: 3 * LINE_BYTES, keptCount: 2 });
    add(11);
    await file.close();
    expect((await readdir(folder)).sort()).toEqual(['records.jsonl', 'records.jsonl.1', 'records.jsonl.2']);
    const counts = await Promise.all(['', '.1', '.2'].map(async (age) => (await linesOf(path + age)).length));
    expect(counts).toEqual([2, 3, 3]);
    expect(file.stats()).toMatchObject({ writtenCount: 11, droppedCount: 0 });
  });

  it('keeps none when told so, and writes a record that is larger than a file all the same', async () => {
    const { file, path, add } = open({ maxBytes: 10, keptCount: 0 });
    add(3);
    await file.close();
    expect(await linesOf(path)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['records.jsonl']);
    expect(file.stats().writtenCount).toBe(3);
  });
});

describe('faults', () => {
  it('a queue that is full drops the new ones and counts them', async () => {
    const { file, path, add } = open({ queueBytes: 5 * LINE_BYTES });
    add(20);
    expect(file.stats()).toMatchObject({ takenCount: 20, droppedCount: 15, queuedCount: 5 });
    await file.close();
    expect(await linesOf(path)).toHaveLength(5);
  });

  it('a folder that is missing is told of once, and nothing is lost when it comes', async () => {
    const path = join(folder, 'late', 'records.jsonl');
    const { file, log, add } = open({ path });
    add(3);
    await poll('a fault', () => (log.lines.length > 0 ? true : undefined));
    add(2);
    await mkdir(join(folder, 'late'));
    await poll('the records', () => (file.stats().writtenCount === 5 ? true : undefined));
    await file.close();
    expect(await linesOf(path)).toHaveLength(5);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', `Writing ${path} failed; further failures are summed up once a minute`],
      ['info', `Writing ${path} works again`],
    ]);
  });

  it.runIf(process.platform === 'linux')('a full disk costs records, counted, and never throws', async () => {
    const { file, log, add } = open({ path: '/dev/full' });
    add(4);
    await poll('a fault', () => (log.lines.length > 0 ? true : undefined));
    expect(log.lines[0]?.fields['fault_code']).toBe('ENOSPC');
    await file.close();
    expect(file.stats()).toEqual({ takenCount: 4, writtenCount: 0, droppedCount: 4, queuedCount: 0 });
  });

  it.skipIf(process.getuid?.() === 0)('a file that may not be written is tried again', async () => {
    const { file, path, add } = open();
    await writeFile(path, '', { mode: 0o400 });
    add(1);
    await chmod(path, 0o600);
    await poll('the record', () => (file.stats().writtenCount === 1 ? true : undefined));
    await file.close();
  });

  it('what is told after the end is counted as dropped', async () => {
    const { file, add } = open();
    await file.close();
    add(1);
    expect(file.stats()).toMatchObject({ takenCount: 1, droppedCount: 1 });
  });
});
