// Goal: a sweep writes what one run writes, for each of its steps: lines, files, reports and what a sidecar on the way
// saw; and what no reader could read is refused before anything is sent. Method: the real command against a small
// server whose answers are known, and through a real sidecar.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LoadResult } from '../../src/client/load/result.ts';
import { fileLines, load, stepColumns, useLoadBench } from '../support/load-bench.ts';
import { Sidecar } from '../support/sidecar.ts';

const { folder, open, serve } = useLoadBench();

test('a sweep writes a line a step, and a report or a file of each', async () => {
  const server = await serve({ tokens: 4 });
  const [csv, aiperf, guidellm] = ['sweep.csv', 'sweep.jsonl', 'sweep.json'].map((name) => join(folder, name));
  const exports = ['--export', `aiperf=${aiperf}`, '--export', `guidellm=${guidellm}`];
  const flags = ['--sweep', '1,2', '--count', '6', '--csv', csv ?? '', ...exports];
  const { exitCode, err } = await load(server.url, ...flags);
  expect(exitCode, err).toBe(0);
  expect(stepColumns(csv ?? '')).toEqual(['concurrency,class,sent,ok', '1,interactive,6,6', '2,interactive,6,6']);
  for (const step of ['1', '2']) expect(fileLines(join(folder, `sweep-concurrency-${step}.jsonl`))).toHaveLength(6);
  const { benchmarks } = JSON.parse(readFileSync(guidellm ?? '', 'utf8')) as {
    benchmarks: { config: { strategy: { streams: number } }; metrics: { request_totals: { total: number } } }[];
  };
  expect(benchmarks.map(({ config, metrics }) => [config.strategy.streams, metrics.request_totals.total])).toEqual([
    [1, 6],
    [2, 6],
  ]);
});

test('a file that cannot be written is told before anything is sent, also that of a later step', async () => {
  const server = await serve();
  mkdirSync(join(folder, 'taken-concurrency-2.jsonl'));
  const flags = ['--sweep', '1,2', '--export', `aiperf=${join(folder, 'taken.jsonl')}`];
  const { exitCode, err } = await load(server.url, ...flags);
  expect([exitCode === 0, err.includes('taken-concurrency-2.jsonl'), server.seen.length]).toEqual([false, true, 0]);
});

test('where no run begins, what was there stays and nothing empty is left', async () => {
  const [kept, made] = [join(folder, 'kept.csv'), join(folder, 'made.json')];
  writeFileSync(kept, 'of yesterday');
  const { exitCode } = await load('http://127.0.0.1:9', '--csv', kept, '--export', `guidellm=${made}`);
  expect([exitCode, readFileSync(kept, 'utf8'), existsSync(made)]).toEqual([69, 'of yesterday', false]);
});

test('GuideLLM is given only what it can read', async () => {
  const file = await load('http://127.0.0.1:9', '--export', 'guidellm=run.txt');
  expect([file.exitCode, file.err.includes('ends in .json')]).toEqual([64, true]);
  const api = await load('http://127.0.0.1:9', '--api', 'messages', '--export', 'guidellm=run.json');
  expect([api.exitCode, api.err.includes('no benchmark of the API messages')]).toEqual([64, true]);
});

test('a sidecar on the way is asked at each step of a sweep', async () => {
  const server = await serve({ firstMs: 30, tokens: 12, gapMs: 10 });
  const sidecar = await Sidecar.start({ upstream: server.url });
  open.push(sidecar);
  const peer = ['--peer', `there@http://127.0.0.1:${sidecar.adminPort}`];
  const url = `http://127.0.0.1:${sidecar.listenPort}`;
  const { out } = await load(url, '--sweep', '1,2', '--count', '4', '--json', '-', ...peer);
  const { sweep } = JSON.parse(out) as { sweep: { result: LoadResult }[] };
  expect(sweep.map(({ result }) => result.peer)).toMatchObject([{ matchedCount: 4 }, { matchedCount: 4 }]);
  const page = await load(url, '--sweep', '2', '--count', '4', ...peer);
  expect(page.out).toMatch(/added on the way from there\nat a time +found .*\n2 +4\/4 /);
});
