// Goal: replay tells equal from different to the last bit, and survives files that are cut, damaged
// or from another version. Method: record files made from built records, read by the real command.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { judgeDelivery } from '../../../src/judge/delivery/rules.ts';
import { judgeHop } from '../../../src/judge/hop/judge-hop.ts';
import { byTimer, hopRecord, steady } from '../judge/hop/records.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { buildRecord, texts } from '../../support/record-builder.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

function entry(record: StreamRecord): { record: StreamRecord; figures: Record<string, unknown> } {
  return { record, figures: { ...measureRecord(record) } };
}

let fileCount = 0;
function fileOf(entries: readonly unknown[]): string {
  fileCount += 1;
  const path = join(folder, `records-${fileCount}.jsonl`);
  writeFileSync(path, entries.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return path;
}

const GOOD = entry(buildRecord({ reads: texts(100, 20, 120) }));

describe('replay', () => {
  test('finds every figure equal, and exits 0', async () => {
    const { exitCode, out } = await runCli(['replay', fileOf([GOOD, entry(buildRecord({}))])]);
    expect(exitCode).toBe(0);
    expect(out).toContain('2 of 2 records give the same figures bit for bit.');
    expect(out.split('\n')[1]).toMatch(/ equal$/);
  });

  test('finds one nanosecond, names the figure, and exits 1', async () => {
    const ttftNs = Number(GOOD.figures['ttftNs']) + 1;
    const path = fileOf([GOOD, { ...GOOD, figures: { ...GOOD.figures, ttftNs } }]);
    const { exitCode, out } = await runCli(['replay', path]);
    expect(exitCode).toBe(1);
    expect(out).toContain('DIFFERENT');
    expect(out).toContain(`${path}:2: differs in ttftNs`);
    expect(out).toContain('1 of 2 records');
  });

  test('finds a figure that is missing, and one too many', async () => {
    const { ttftNs: _ttftNs, ...without } = GOOD.figures;
    const path = fileOf([
      { ...GOOD, figures: without },
      { ...GOOD, figures: { ...GOOD.figures, madeUpNs: 1 } },
    ]);
    const { exitCode, out } = await runCli(['replay', path]);
    expect(exitCode).toBe(1);
    expect(out).toContain('differs in ttftNs');
    expect(out).toContain('differs in madeUpNs');
  });

  test('recomputes the verdict about a hop, shows it, and finds one that differs', async () => {
    const record = hopRecord({ pieces: steady(20, 100), hop: byTimer(250, 3) });
    const seen = { record, figures: measureRecord(record), hop: judgeHop(record) };
    const same = await runCli(['replay', fileOf([seen])]);
    expect(same.exitCode).toBe(0);
    expect(same.out).toContain('holds timer');
    const other = await runCli(['replay', fileOf([{ ...seen, hop: { ...seen.hop, way: 'size' } }])]);
    expect(other.exitCode).toBe(1);
    expect(other.out).toContain('differs in hop.way');
  });

  test('recomputes the verdict about delivery, shows it, and finds one that differs', async () => {
    const delivery = judgeDelivery(GOOD.record);
    const same = await runCli(['replay', fileOf([{ ...GOOD, delivery }])]);
    expect(same.exitCode).toBe(0);
    expect(same.out.split('\n')[1]).toMatch(/ passes +– +– +equal$/);
    const other = await runCli(['replay', fileOf([{ ...GOOD, delivery: { ...delivery, word: 'holds' } }])]);
    expect(other.exitCode).toBe(1);
    expect(other.out).toContain('differs in delivery.word');
  });

  test('leaves out a last line that was cut off', async () => {
    const path = fileOf([GOOD]);
    appendFileSync(path, JSON.stringify(GOOD).slice(0, 200));
    const { exitCode, out } = await runCli(['replay', path]);
    expect(exitCode).toBe(0);
    expect(out).toContain('1 of 1 records');
    expect(out).toContain('1 last line cut off');
  });

  test('takes a last line that lacks only its line break', async () => {
    const path = fileOf([]);
    appendFileSync(path, JSON.stringify(GOOD));
    expect((await runCli(['replay', path])).out).toContain('1 of 1 records');
  });

  test.each([
    ['not JSON', 'not json at all\n', 'this line is not JSON'],
    ['no record', '{"a":1}\n', 'holds no record with figures'],
    ['no object', '17\n', 'holds no record with figures'],
    ['another schema', `${JSON.stringify({ ...GOOD, record: { ...GOOD.record, schema: 99 } })}\n`, 'has schema 99'],
    ['a damaged record', `${JSON.stringify({ ...GOOD, record: { ...GOOD.record, chunks: null } })}\n`, 'is damaged'],
  ])('counts a line with %s as not checked, and exits 1', async (_what, text, reason) => {
    const path = fileOf([]);
    appendFileSync(path, `${text}${JSON.stringify(GOOD)}\n`);
    const { exitCode, out } = await runCli(['replay', path]);
    expect(exitCode).toBe(1);
    expect(out).toContain(`${path}:1: `);
    expect(out).toContain(reason);
    expect(out).toContain('1 of 2 records');
  });

  test('reads several files, and blank lines in them', async () => {
    const path = fileOf([GOOD]);
    appendFileSync(path, '\n\n');
    expect((await runCli(['replay', path, fileOf([GOOD, GOOD])])).out).toContain('3 of 3 records');
  });

  test('says when there is nothing in the file', async () => {
    expect((await runCli(['replay', fileOf([])])).out).toContain('No complete record was found.');
  });

  test('prints one JSON object a line on request, and its totals beside it', async () => {
    const { out, err } = await runCli(['replay', '--json', fileOf([GOOD, { ...GOOD, figures: {} }])]);
    const lines = out.split('\n').map((line) => JSON.parse(line) as { equal: boolean; differences?: string[] });
    expect(lines.map(({ equal }) => equal)).toEqual([true, false]);
    expect(lines[1]?.differences).toContain('ttftNs');
    expect(err).toContain('1 of 2 records');
  });

  test('shows the first rows of a long file and every one that differs', async () => {
    const bad = { ...GOOD, figures: { ...GOOD.figures, durationNs: 1 } };
    const { out } = await runCli(['replay', fileOf([...Array.from({ length: 30 }, () => GOOD), bad])]);
    expect(out.split('\n').filter((line) => line.endsWith(' equal'))).toHaveLength(20);
    expect(out).toContain(':31: differs in durationNs');
  });

  test('of a file that is not there says so and exits 64', async () => {
    const { exitCode, err } = await runCli(['replay', join(folder, 'gone.jsonl')]);
    expect(exitCode).toBe(64);
    expect(err).toContain('there is no such file');
  });
});
