// Goal: on a real vLLM a long prompt among running streams is named as prefill interference, a KV cache made too small
// as preemption, and neither where there is neither.
// Method: streams of some hundred tokens; long prompts sent among them at moments that the test knows; a cache that
// has no room for the streams that run. What stalled is judged by rubato alone; the test knows what it did.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';
import type { EngineProcess } from './engine/engine-process.ts';
import { startVllm } from './engine/vllm.ts';
import { askAll, type Question } from './judge/ask.ts';
import { orMissing, say } from './judge/missing.ts';

/** A step of the tiny model takes 5 to 20 ms; a prompt of thousands of tokens makes one several times that. */
const STALL_MS = '60';
const CONTEXT_TOKENS = 4_000;
/** Of the stalls with a known reason, as the issue of the rules has it. */
const RIGHT_LEAST_RATIO = 0.8;

function story(name: string, promptChars: number, outputTokens: number): Question {
  return {
    path: '/v1/chat/completions',
    body: {
      model: 'tiny',
      // The first word differs, so that no cache knows the prompt.
      messages: [{ role: 'user', content: `${name} `.padEnd(promptChars, 'a bird sang in a dark wood ') }],
      stream: true,
      max_tokens: outputTokens,
      ignore_eos: true,
      temperature: 0,
    },
  };
}

async function startBoth(
  args: readonly string[],
  changes: Readonly<Record<string, string | number>>,
): Promise<{ readonly engine: EngineProcess; readonly sidecar: Sidecar } | undefined> {
  const engine = await orMissing('vLLM', () => startVllm(args, {}, changes));
  if (engine === undefined) return undefined;
  const sidecar = await Sidecar.start({
    upstream: engine.url,
    args: ['--stall-ms', STALL_MS, '--engine-metrics', `${engine.url}/metrics`, '--engine-metrics-interval', '1'],
  });
  return { engine, sidecar };
}

/** Stalls by the cause that was named. */
function causesOf(entries: readonly RecordEntry[]): Record<string, number> {
  const named = entries.flatMap(({ stalls = [] }) => stalls.map(({ cause }) => cause));
  return Object.fromEntries([...Map.groupBy(named, (cause) => cause)].map(([cause, all]) => [cause, all.length]));
}

function total(causes: Readonly<Record<string, number>>): number {
  return Object.values(causes).reduce((sum, count) => sum + count, 0);
}

describe('vLLM with room for all', () => {
  let both: Awaited<ReturnType<typeof startBoth>>;
  beforeAll(async () => {
    both = await startBoth(['--enable-per-request-metrics'], { 'max-model-len': CONTEXT_TOKENS, 'max-num-seqs': 8 });
  });
  afterAll(async () => {
    await both?.sidecar.stop();
    await both?.engine.stop();
  });

  test('names a long prompt among running streams as prefill interference', async ({ skip }) => {
    if (both === undefined) return skip('vLLM cannot be had here');
    const { sidecar } = both;
    // What a prompt costs is learnt from those that came before.
    await askAll(sidecar.listenPort, { count: 4, concurrency: 1 }, (index) => story(`first${index}`, 800, 8));
    const before = sidecar.records().length;
    const streams = askAll(sidecar.listenPort, { count: 3, concurrency: 3 }, (index) =>
      story(`long${index}`, 100, 700),
    );
    await sleep(1_500);
    for (let index = 0; index < 6; index += 1) {
      await askAll(sidecar.listenPort, { count: 1, concurrency: 1 }, () => story(`prompt${index}`, 3_800, 1));
      await sleep(500);
    }
    await streams;
    const entries = await sidecar.recordsAfter(before, 9);
    const causes = causesOf(entries);
    say(`vLLM, long prompts among streams: ${JSON.stringify(causes)}`);
    expect(causes['prefill_interference'] ?? 0).toBeGreaterThanOrEqual(6);
    expect(causes['prefill_interference'] ?? 0).toBeGreaterThanOrEqual(RIGHT_LEAST_RATIO * total(causes));
    expect(causes['preemption']).toBeUndefined();
  });

  test('names it nowhere where no prompt came', async ({ skip }) => {
    if (both === undefined) return skip('vLLM cannot be had here');
    const { sidecar } = both;
    const before = sidecar.records().length;
    await askAll(sidecar.listenPort, { count: 3, concurrency: 3 }, (index) => story(`alone${index}`, 100, 500));
    const causes = causesOf(await sidecar.recordsAfter(before, 3));
    say(`vLLM, nothing but streams: ${JSON.stringify(causes)}`);
    expect([causes['prefill_interference'], causes['preemption']]).toEqual([undefined, undefined]);
  });
});

describe('vLLM with a KV cache that is too small', () => {
  let both: Awaited<ReturnType<typeof startBoth>>;
  beforeAll(async () => {
    both = await startBoth(['--enable-per-request-metrics'], {
      'max-model-len': 1_024,
      'max-num-seqs': 8,
      // Ten blocks of 128 tokens: one stream of the longest kind fits, the four of the test do not.
      'num-gpu-blocks-override': 10,
    });
  });
  afterAll(async () => {
    await both?.sidecar.stop();
    await both?.engine.stop();
  });

  test('names its stalls as preemption', async ({ skip }) => {
    if (both === undefined) return skip('vLLM cannot be had here');
    const { sidecar } = both;
    await askAll(sidecar.listenPort, { count: 4, concurrency: 1 }, (index) => story(`first${index}`, 200, 8));
    const before = sidecar.records().length;
    await askAll(sidecar.listenPort, { count: 4, concurrency: 4 }, (index) => story(`long${index}`, 100, 700));
    const causes = causesOf(await sidecar.recordsAfter(before, 4));
    say(`vLLM, too small a cache: ${JSON.stringify(causes)}`);
    expect(causes['preemption'] ?? 0).toBeGreaterThanOrEqual(2);
    expect(causes['preemption'] ?? 0).toBeGreaterThanOrEqual(RIGHT_LEAST_RATIO * total(causes));
  });
});
