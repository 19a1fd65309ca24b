// Goal: `rubato report` writes one page from whatever record files there are, says plainly what is wrong with others,
// and lets nothing of a record become markup. Method: files of built records, read by the command with a page of three
// words in place of the built one.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { makeReport } from '../../../src/cli/report.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import type { ReportData } from '../../../src/telemetry/report-data.ts';
import { buildRecord, texts } from '../../support/record-builder.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = { script: 'const end = "</script>";', style: 'b{color:red}' };

function lines(count: number, changes: Partial<StreamRecord> = {}): string {
  return Array.from({ length: count }, (_, index) => {
    const built = buildRecord({ reads: texts(100, 20, 10) });
    const record = { ...built, id: `0.0-${index.toString(36)}`, openedAtEpochMs: 1.796e12 + index, ...changes };
    return `${JSON.stringify({ record, figures: measureRecord(record) })}\n`;
  }).join('');
}

let fileCount = 0;
function fileOf(content: string | Buffer): string {
  fileCount += 1;
  const path = join(folder, `records-${fileCount}.jsonl`);
  writeFileSync(path, content);
  return path;
}

async function report(paths: readonly string[], title?: string) {
  const out = join(folder, 'report.html');
  rmSync(out, { force: true });
  const err: string[] = [];
  const io = {
    out: () => {},
    stdout: { write: () => true },
    env: {},
    execArgv: [],
    platform: 'linux',
    err: (text: string) => void err.push(text),
  };
  const exitCode = await makeReport({ paths, out, title, worstCount: 2 }, PAGE, io);
  const html = readFileSync(out, 'utf8');
  const data = JSON.parse(/id="data">(.*)<\/script>/.exec(html)?.[1] ?? '') as ReportData;
  return { exitCode, err: err.join('\n'), html, data };
}

describe('the page', () => {
  test('holds the figures of all files, the worst exchanges, and says how many there were', async () => {
    const { exitCode, err, data } = await report([fileOf(lines(3)), fileOf(gzipSync(lines(4)))]);
    expect(exitCode).toBe(0);
    expect(data.exchangeCount).toBe(7);
    expect(data.files.map(({ exchangeCount }) => exchangeCount)).toEqual([3, 4]);
    expect(data.classes[0]?.ttft?.count).toBe(7);
    expect(data.worst).toHaveLength(2);
    expect(err).toContain('7 exchanges are in ');
  });

  test('is named after its files unless it is given a title', async () => {
    const path = fileOf(lines(1));
    expect((await report([path])).data.title).toBe(path.split('/').at(-1));
    expect((await report([path], 'Monday <b>&')).html).toContain('<title>Monday &lt;b&gt;&amp;</title>');
  });

  test('takes nothing of a record for markup', async () => {
    const evil = '</script><script>alert(1)</script><!--';
    const { html, data } = await report([fileOf(lines(1, { route: evil }))], evil);
    expect(data.title).toBe(evil);
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html).not.toContain('<!--');
    expect(html).not.toContain('alert(1)</script>');
  });

  test('lets nothing load and nothing run but its own script and style, byte by byte', async () => {
    const { html } = await report([fileOf(lines(1))]);
    const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const script = /<script>(.*)<\/script>/s.exec(html)?.[1] ?? '';
    expect(script).toBe(String.raw`const end = "<\/script>";`);
    const policy = /content="(default-src[^"]*)"/.exec(html)?.[1];
    expect(policy).toBe(
      `default-src 'none'; script-src ${hash(script)}; style-src ${hash(PAGE.style)}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(html).not.toMatch(/(?:src|href)=/);
  });
});

describe('lines that cannot be read', () => {
  test('are left out, told with their place, and make the exit code 1', async () => {
    const { exitCode, err, data } = await report([fileOf(`${lines(2)}{"broken\n${lines(1)}`)]);
    expect(exitCode).toBe(1);
    expect(err).toMatch(/records-\d+\.jsonl:3: this is not JSON\./);
    expect(data.files[0]).toMatchObject({ exchangeCount: 3, unreadableCount: 1 });
    expect(data.notes).toContain('1 line could not be read and is left out.');
  });

  test('are those as well whose record has no place or time to stand in', async () => {
    const bad = [{ id: 7 }, { openedAtEpochMs: 'now' }, { route: null }, { class: {} }] as unknown as object[];
    const { err, data } = await report([fileOf(lines(1) + bad.map((changes) => lines(1, changes)).join(''))]);
    expect(err.match(/its record is damaged \(its id, time, route or class\)/g)).toHaveLength(bad.length);
    expect(data).toMatchObject({ exchangeCount: 1, fromEpochMs: 1.796e12 });
  });

  test('are named a few at most', async () => {
    const { err } = await report([fileOf(`${lines(1)}${'{}\n'.repeat(9)}`)]);
    expect(err.match(/this holds no record/g)).toHaveLength(5);
    expect(err).toContain('… and 4 further lines that could not be read.');
  });

  test('that nobody finished are no fault: a sidecar may be writing', async () => {
    const { exitCode, data } = await report([fileOf(`${lines(2)}{"record":{"sch`)]);
    expect([exitCode, data.exchangeCount, data.notes]).toEqual([0, 2, []]);
  });
});

describe('what is no record file', () => {
  const failureOf = async (paths: readonly string[]): Promise<string> => {
    try {
      await report(paths);
    } catch (error) {
      return `${(error as { exitCode?: number }).exitCode} ${(error as Error).message}`;
    }
    return 'no failure';
  };

  test('is told by its first line, and nothing is written', async () => {
    const path = fileOf('hello\nworld\n');
    expect(await failureOf([path])).toBe(`64 ${path}:1: this is not JSON. This is no record file.`);
    expect(existsSync(join(folder, 'report.html'))).toBe(false);
  });

  test('is told where there is none, where it is a folder, and where it is cut or damaged', async () => {
    expect(await failureOf([join(folder, 'nothing')])).toMatch(/^64 Cannot read .*: there is no such file\./);
    expect(await failureOf([folder])).toMatch(/^64 Cannot read .*: it is a folder\./);
    const whole = gzipSync(lines(50));
    expect(await failureOf([fileOf(whole.subarray(0, whole.length / 2))])).toMatch(/compressed and was cut off/);
    const damaged = Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)]);
    expect(await failureOf([fileOf(damaged)])).toMatch(/compressed and damaged/);
  });

  test('is told where it holds no exchange', async () => {
    expect(await failureOf([fileOf('')])).toMatch(/^64 No exchange was found in /);
  });
});

describe('the command line', () => {
  test('refuses to write over what it reads, and counts that make no sense, all at once', async () => {
    const { exitCode, err } = await runCli(['report', 'a.jsonl', '--out', 'a.jsonl', '--worst', '-1']);
    expect(exitCode).toBe(64);
    expect(err).toContain('--out: is one of the record files.');
    expect(err).toContain('--worst');
  });

  test('knows a file that it reads under another name as well', async () => {
    const path = fileOf(lines(1));
    const link = `${path}.link`;
    symlinkSync(path, link);
    for (const out of [`${folder}/./${basename(path)}`, link]) {
      const { exitCode, err } = await runCli(['report', path, '--out', out]);
      expect([exitCode, err.includes('--out: is one of the record files.')]).toEqual([64, true]);
    }
    expect(readFileSync(path, 'utf8')).toBe(lines(1));
  });

  test('teaches by its help', async () => {
    const { exitCode, out } = await runCli(['report', '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('rubato report records.jsonl');
    expect(out).toContain('no prompts');
  });
});
