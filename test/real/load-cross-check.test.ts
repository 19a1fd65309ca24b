// Goal: the load's figures are those of a client that others wrote, AIPerf, on the same engine: TTFT and the time
// between tokens within 5 % at the median; and AIPerf reads the file that the load writes for it. Method: closed
// loops of four, one after the other, against a reference engine whose steps are steady.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadResult } from '../../src/client/load/result.ts';
import { type ReferenceEngine, startReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { ascending, nearestRank } from '../../src/measure/percentile.ts';
import { runCli } from '../unit/cli/fake-io.ts';
import { orMissing, say } from './judge/missing.ts';
import { Aiperf, type AiperfRequest } from './load/aiperf.ts';

const LOAD = { count: 60, concurrency: 4 };
const FIRST_MS = 400;
const STEP_MS = 40;
const TOKENS = 30;
const NS_PER_MS = 1e6;
const APART_MAX_SHARE = 0.05;
const ROUNDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'rubato-cross-'));
let engine: ReferenceEngine | undefined;
let aiperf: Aiperf | undefined;
let theirs: readonly AiperfRequest[] = [];
let ours: LoadResult | undefined;

function data(body: object): string {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'chat-1', model: 'reference-small', ...body })}\n\n`;
}

const STEADY = {
  writes: [
    ...Array.from({ length: TOKENS }, (_, token) => ({
      atMs: FIRST_MS + token * STEP_MS,
      bytes: data({ choices: [{ index: 0, delta: { content: 'tick ' } }] }),
    })),
    {
      atMs: FIRST_MS + TOKENS * STEP_MS,
      bytes:
        data({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }) +
        data({ choices: [], usage: { prompt_tokens: 5, completion_tokens: TOKENS, total_tokens: 5 + TOKENS } }) +
        'data: [DONE]\n\n',
    },
  ],
};

beforeAll(async () => {
  aiperf = await orMissing('AIPerf', () => Aiperf.get());
  if (aiperf === undefined) return;
  engine = await startReferenceEngine({ scripts: { steady: STEADY }, scriptNow: () => 'steady' });
  // On a busy machine a client is late now and then, and which of them is chance; a fault of ours is there each time.
  for (let round = 1; round <= ROUNDS && !agree(); round += 1) await runBoth(engine.url, aiperf);
});

async function runBoth(url: string, client: Aiperf): Promise<void> {
  theirs = await client.run(url, LOAD);
  const flags = ['--concurrency', String(LOAD.concurrency), '--count', String(LOAD.count), '--json', '-'];
  const { out } = await runCli(['load', url, ...flags, '--export', `aiperf=${join(folder, 'ours.jsonl')}`]);
  ours = JSON.parse(out) as LoadResult;
}

afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true });
});

const medianMs = (values: readonly number[]): number => nearestRank(ascending(values), 50);

interface Pair {
  readonly name: string;
  readonly theirMs: number;
  readonly ourMs: number;
}

function pairs(): Pair[] {
  const [figures] = ours?.classes ?? [];
  if (figures === undefined) return [];
  const pair = (name: string, theirValues: readonly number[], ourNs: unknown): Pair => ({
    name,
    theirMs: medianMs(theirValues),
    ourMs: Number(ourNs) / NS_PER_MS,
  });
  return [
    pair(
      'TTFT p50',
      theirs.map(({ ttftMs }) => ttftMs),
      figures.ttft.fromSent.p50Ns,
    ),
    pair(
      'gap p50',
      theirs.flatMap(({ gapsMs }) => gapsMs),
      figures.gaps.p50Ns,
    ),
    pair(
      'time per token p50',
      theirs.map((one) => one.interTokenMs),
      figures.tpot.p50Ns,
    ),
  ];
}

const apart = ({ theirMs, ourMs }: Pair): number => Math.abs(ourMs - theirMs) / theirMs;
const agree = (): boolean => ours !== undefined && pairs().every((pair) => apart(pair) < APART_MAX_SHARE);

describe('the same engine, asked by AIPerf and by the load', () => {
  test('TTFT and the time between tokens are the same at the median', ({ skip }) => {
    if (ours === undefined) return skip('AIPerf cannot be had here');
    expect([theirs.length, ours.classes[0]?.okCount]).toEqual([LOAD.count, LOAD.count]);
    expect(pairs()).toHaveLength(3);
    for (const pair of pairs()) {
      say(`${pair.name}: AIPerf ${pair.theirMs.toFixed(2)} ms, rubato load ${pair.ourMs.toFixed(2)} ms`);
      expect(apart(pair), pair.name).toBeLessThan(APART_MAX_SHARE);
    }
  });

  test('AIPerf reads the file that is written for it', async ({ skip }) => {
    if (aiperf === undefined) return skip('AIPerf cannot be had here');
    expect(readFileSync(join(folder, 'ours.jsonl'), 'utf8').trim().split('\n')).toHaveLength(LOAD.count);
    await aiperf.read(join(folder, 'ours.jsonl'));
  });
});
