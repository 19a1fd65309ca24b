// Goal: lines are flat JSON with fixed fields, bounded in length, and a log that is gone ends nothing.
// Method: a log on a file of its own, read back; a device that is full.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LOG_FIELD_MAX_CHARS } from '../../../src/base/limits.ts';
import { createLog, faultFields } from '../../../src/base/log.ts';
import { poll } from '../../support/signal.ts';

let folder: string;
let path: string;
let fd: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rubato-log-'));
  path = join(folder, 'log');
  fd = openSync(path, 'a');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = () =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('a line has its level, time, service and fields', () => {
  const log = createLog({ level: 'info', fd });
  log.warn('something', { count: 3, name: 'x' });
  log.flushSync();
  expect(lines()).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      service: 'rubato',
      pid: process.pid,
      count: 3,
      name: 'x',
      msg: 'something',
    },
  ]);
});

it('lines below the level are not written', () => {
  const log = createLog({ level: 'error', fd });
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  log.flushSync();
  expect(lines().map(({ msg }) => msg)).toEqual(['d']);
});

it('the level may change while the log runs', () => {
  const log = createLog({ level: 'error', fd });
  log.setLevel('debug');
  log.debug('a');
  log.setLevel('warn');
  log.info('b');
  log.warn('c');
  log.flushSync();
  expect(lines().map(({ msg }) => msg)).toEqual(['a', 'c']);
});

it('a long text is cut', () => {
  const log = createLog({ level: 'info', fd });
  log.info('x', { fault: 'y'.repeat(100_000) });
  log.flushSync();
  expect(lines()[0].fault).toHaveLength(LOG_FIELD_MAX_CHARS);
});

it('a fault has its code and text', () => {
  const fault = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
  expect(faultFields(fault)).toEqual({ fault: 'connect refused', fault_name: 'Error', fault_code: 'ECONNREFUSED' });
  expect(faultFields('text')).toEqual({ fault: 'text' });
});

it.runIf(process.platform === 'linux')('a log that cannot be written costs lines, which are counted', async () => {
  const full = openSync('/dev/full', 'a');
  const log = createLog({ level: 'info', fd: full });
  log.info('lost');
  await poll('a lost line', () => (log.droppedCount() > 0 ? true : undefined));
  log.flushSync();
  closeSync(full);
});

it('lines beyond the bound are dropped and counted, and those before are written', () => {
  const log = createLog({ level: 'info', fd });
  const text = 'z'.repeat(LOG_FIELD_MAX_CHARS);
  for (let index = 0; index < 3_000; index += 1) log.info('x', { text });
  log.flushSync();
  expect(log.droppedCount()).toBeGreaterThan(0);
  expect(lines()).toHaveLength(3_000 - log.droppedCount());
});

it('a fault of JSON says nothing of the text, which V8 would quote', () => {
  const faults: unknown[] = [];
  try {
    JSON.parse('my prompt');
  } catch (fault) {
    faults.push(faultFields(fault));
  }
  expect(faults).toEqual([{ fault: 'the text is not valid', fault_name: 'SyntaxError' }]);
});
