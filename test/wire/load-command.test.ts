// Goal: the load counts from when requests were due, tells failures and its own limits, judges objectives and exits
// by them, and finds the same requests at a sidecar. Method: the real command against small servers whose answers
// are known, and through a real sidecar; bounds on one side only.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoadResult } from '../../src/client/load/result.ts';
import { fileLines, load, useLoadBench } from '../support/load-bench.ts';
import { NODE, ROOT } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import type { Seen } from '../unit/client/load/fake-server.ts';

const { folder, open, serve } = useLoadBench();

async function loadJson(url: string, ...flags: string[]): Promise<LoadResult & { exitCode: number }> {
  const { exitCode, out, err } = await load(url, '--json', '-', ...flags);
  expect(out, err).toMatch(/^\{/);
  return { ...(JSON.parse(out) as LoadResult), exitCode };
}

describe('both clocks', () => {
  test('a wait before sending is counted from due, and not from sent', async () => {
    // Eight requests, one each 100 ms, one at a time, and the only token comes after 500 ms.
    const server = await serve({ firstMs: 500, tokens: 1 });
    const flags = ['--rate', '10', '--arrivals', 'constant', '--concurrency', '1', '--count', '8'];
    const { classes, generator, exitCode } = await loadJson(server.url, ...flags);
    const [figures] = classes;
    expect(exitCode).toBe(0);
    expect(figures).toMatchObject({ sentCount: 8, okCount: 8 });
    expect(figures?.ttft.fromSent.p50Ns).toBeGreaterThanOrEqual(495e6);
    // The last is due at 700 ms and gets its token after eight answers.
    expect(figures?.ttft.fromDue.maxNs).toBeGreaterThanOrEqual(3_290e6);
    expect(figures?.wait.meanNs).toBeGreaterThanOrEqual(1_390e6);
    expect(server.mostAtOnce).toBe(1);
    expect(generator.warnings.join(' ')).toContain('requests waited here before they were sent');
  });

  test('what was due and never sent counts as what never came', async () => {
    const server = await serve({ firstMs: 400, tokens: 1 });
    const flags = [
      '--rate',
      '50',
      '--arrivals',
      'constant',
      '--concurrency',
      '1',
      '--duration',
      '0.6',
      '--drain',
      '0.1',
    ];
    const { unsentCount, classes, verdicts, exitCode } = await loadJson(server.url, ...flags, '--slo', 'ttft=60s@0.9');
    const [figures] = classes;
    expect(unsentCount + (figures?.sentCount ?? 0)).toBe(30);
    expect(unsentCount).toBeGreaterThanOrEqual(25);
    expect(figures?.ttftOfAll).toMatchObject({ count: 30, p50Ns: 'never', maxNs: 'never' });
    expect(verdicts).toMatchObject([{ met: 'false', missedCount: expect.any(Number) as number }]);
    expect(exitCode).toBe(1);
  });

  test('a closed loop has so many under way, and no clock but that of sending', async () => {
    const server = await serve({ firstMs: 30 });
    const { classes, mostOpenCount } = await loadJson(server.url, '--concurrency', '3', '--count', '12');
    expect(classes[0]?.sentCount).toBe(12);
    expect(classes[0]?.wait.maxNs).toBeLessThan(30e6);
    expect([server.mostAtOnce, mostOpenCount]).toEqual([3, 3]);
  });
});

describe('what is sent', () => {
  test('one request beforehand is not counted, and the warm-up is not either', async () => {
    const server = await serve();
    const flags = ['--rate', '20', '--arrivals', 'constant', '--warmup', '0.5', '--duration', '0.5'];
    const { classes, warmupCount } = await loadJson(server.url, ...flags);
    expect([warmupCount, classes[0]?.sentCount, server.seen.length]).toEqual([10, 10, 21]);
  });

  test('a recorded trace says when, how long and of which class', async () => {
    const trace = join(folder, 'trace.jsonl');
    const rows = [
      { at_ms: 1_000, prompt_tokens: 10, output_tokens: 3, class: 'chat' },
      { at_ms: 1_040, prompt_tokens: 100, output_tokens: 5, class: 'batch' },
    ];
    writeFileSync(trace, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const server = await serve();
    const { classes } = await loadJson(server.url, '--trace', trace);
    expect(classes.map(({ class: name, sentCount }) => [name, sentCount])).toEqual([
      ['chat', 1],
      ['batch', 1],
    ]);
    expect(server.seen.slice(1)).toEqual([
      { class: 'chat', promptChars: 40, maxTokens: 3 },
      { class: 'batch', promptChars: 400, maxTokens: 5 },
    ]);
  });

  test('the same seed sends the same', async () => {
    const server = await serve();
    const flags = ['--rate', '200', '--count', '10', '--prompt-tokens', '20-90', '--class', 'a=1', '--class', 'b=1'];
    await loadJson(server.url, ...flags, '--seed', '5');
    await loadJson(server.url, ...flags, '--seed', '5');
    const byText = (a: Seen, b: Seen): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const [first, second] = [server.seen.slice(0, 11), server.seen.slice(11)];
    expect(second.toSorted(byText)).toEqual(first.toSorted(byText));
    expect(new Set(first.map(({ promptChars }) => promptChars)).size).toBeGreaterThan(3);
  });
});

describe('failures', () => {
  test('stay in the count as never, and out of the figures of those that came', async () => {
    const server = await serve({ status: (index) => (index > 0 && index % 2 === 0 ? 503 : 200) });
    const { classes } = await loadJson(server.url, '--rate', '100', '--count', '40');
    const [figures] = classes;
    expect(figures?.outcomeCounts).toEqual({ ok: 20, error_http: 20 });
    expect(figures?.ttft.fromDue.count).toBe(20);
    expect(figures?.ttftOfAll).toMatchObject({ count: 40, neverCount: 20, p95Ns: 'never' });
    expect(figures?.ttftOfAll.p50Ns).toEqual(expect.any(Number));
  });

  test('an endpoint that is not there is told at once, exit 69', async () => {
    const { exitCode, err } = await load('http://127.0.0.1:9', '--duration', '60');
    expect(exitCode).toBe(69);
    expect(err).toContain('Nothing listens there');
  });

  test('all that is wrong with the flags is told at once, exit 64', async () => {
    const flags = [
      '--rate',
      '0',
      '--prompt-tokens',
      'long',
      '--slo',
      'speed=3',
      '--export',
      'x',
      '--sweep',
      '1',
      '--class',
      'a',
    ];
    const { exitCode, err } = await load('ftp://x', ...flags);
    expect(exitCode).toBe(64);
    for (const flag of ['--rate', '--prompt-tokens', '--slo', '--export', '--class']) expect(err).toContain(`${flag}:`);
    expect(err).toContain('http://');
  });
});

describe('objectives', () => {
  test('met: exit 0, missed: exit 1, too few to tell: exit 3', async () => {
    const server = await serve({ firstMs: 20 });
    const flags = ['--rate', '100', '--count', '20'];
    expect((await load(server.url, ...flags, '--slo', 'ttft=60s@0.95')).exitCode).toBe(0);
    const missed = await load(server.url, ...flags, '--slo', 'ttft=1ms@0.95,served@0.9');
    expect([missed.exitCode, missed.out.includes('MISSED')]).toEqual([1, true]);
    const few = await load(server.url, ...flags, '--slo', 'ttft=60s@0.99');
    expect([few.exitCode, few.out.includes('20 exchanges, and it takes 100')]).toEqual([3, true]);
  });

  test('those of a configuration are judged, by the class that each request is of', async () => {
    const file = join(folder, 'rubato.yaml');
    const [head, list] = [
      'classes:\n  - name: chat\n    objectives:\n',
      '      - { objective: ttft, max_ms: 60000, target: 0.9 }\n',
    ];
    writeFileSync(file, head + list);
    const server = await serve();
    const flags = ['--rate', '100', '--count', '40', '--class', 'chat=1', '--class', 'other=1', '--config', file];
    const { verdicts, classes } = await loadJson(server.url, ...flags);
    expect(verdicts).toMatchObject([{ class: 'chat', objective: 'ttft', met: 'true' }]);
    const good = classes.map(({ class: name, goodCount }) => [name, goodCount === undefined]);
    expect(Object.fromEntries(good)).toEqual({ chat: false, other: true });
  });
});

describe('what comes out', () => {
  test('one request is the floor, and the page says so', async () => {
    const server = await serve();
    const { out } = await load(server.url, '--count', '1');
    expect(out).toContain('That is the floor');
    expect(out).toContain('TTFT, from due');
    expect(out).toContain('TTFT, from sent');
  });

  test('CSV has one line a request, and no more', async () => {
    const csv = join(folder, 'run.csv');
    const server = await serve({ tokens: 4 });
    await load(server.url, '--rate', '100', '--count', '7', '--csv', csv);
    const [head = '', ...lines] = fileLines(csv);
    expect(lines).toHaveLength(7);
    const columns = head.split(',');
    const cell = (line: string, name: string): string => line.split(',')[columns.indexOf(name)] ?? '';
    expect(lines.map((line) => cell(line, 'outcome'))).toEqual(Array.from({ length: 7 }, () => 'ok'));
    expect(lines.map((line) => cell(line, 'output_tokens'))).toEqual(Array.from({ length: 7 }, () => '4'));
    for (const line of lines) expect(Number(cell(line, 'ttft_from_due_ms'))).toBeGreaterThan(0);
  });

  test('a sweep has a row a step, and says up to where every objective was kept', async () => {
    const server = await serve();
    const { exitCode, out } = await load(server.url, '--sweep', '1,2', '--count', '20', '--slo', 'ttft=60s@0.9');
    expect(exitCode, out).toBe(0);
    expect(out).toContain('Every objective was kept with up to 2 requests at a time.');
    expect(server.seen).toHaveLength(41);
  });

  test('Ctrl-C ends the sending, and the figures so far are shown', async () => {
    const server = await serve();
    const args = ['src/main.ts', 'load', server.url, '--model', 'm', '--rate', '50', '--duration', '600'];
    const child = spawn(NODE, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
    while (server.seen.length < 10) await new Promise((resolve) => void setTimeout(resolve, 20));
    child.kill('SIGINT');
    const code = await new Promise((resolve) => void child.on('exit', resolve));
    expect(code, out).toBe(0);
    expect(out).toContain('stopped by hand');
    expect(out).toMatch(/TTFT, from due +\d+/);
  });
});

test('a sidecar on the way is asked what it saw of the same requests', async () => {
  const server = await serve({ firstMs: 30, tokens: 12, gapMs: 10 });
  const sidecar = await Sidecar.start({ upstream: server.url });
  open.push(sidecar);
  const flags = ['--rate', '20', '--count', '20', '--peer', `there@http://127.0.0.1:${sidecar.adminPort}`];
  const { peer } = await loadJson(`http://127.0.0.1:${sidecar.listenPort}`, ...flags);
  expect(peer).toMatchObject({ name: 'there', matchedCount: 20, unmatchedCount: 0 });
  expect(peer?.ttftThere.p50Ns).toBeGreaterThanOrEqual(29e6);
  // What the client sees begins before and ends after what the sidecar sees.
  expect(peer?.ttftAdded.p50Ns).toBeGreaterThan(0);
  expect(peer?.gapsThere.count).toBeGreaterThanOrEqual(100);
});

test('a peer that is not there costs the comparison only', async () => {
  const server = await serve();
  const { exitCode, out, err } = await load(server.url, '--count', '3', '--rate', '50', '--peer', 'http://127.0.0.1:9');
  expect([exitCode, err.includes('No rubato answers'), out.includes('0 of 3 requests')]).toEqual([0, true, true]);
});
