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

/**
 * Few layers are done faster than vLLM's front end can tell of them, so that a whole answer comes in five reads. With
 * so many a step takes some 40 ms, and a prompt of a thousand tokens a second or two.
 */
const LAYER_COUNT = 48;
const CONTEXT_TOKENS = 2_048;
const LONG_PROMPT_CHARS = 1_000;
const PROMPT_COUNT = 4;
const BEGINNING_CHUNK_COUNT = 20;
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
  const engine = await orMissing('vLLM', () => startVllm(args, { changes, layerCount: LAYER_COUNT }));
  if (engine === undefined) return undefined;
  const sidecar = await Sidecar.start({
    upstream: engine.url,
    args: ['--engine-metrics', `${engine.url}/metrics`, '--engine-metrics-interval', '1'],
  });
  return { engine, sidecar };
}

/** Waits until so many were recorded, those that only taught something. */
async function recordedBy(sidecar: Sidecar, count: number): Promise<number> {
  return (await sidecar.untilRecords(count)).length;
}

/**
 * Stalls by the cause that was named, but for the beginning of each stream: streams that begin together read their
 * prompts in each other's way, and that is what is said of them.
 */
function causesOf(entries: readonly RecordEntry[]): Record<string, number> {
  const named = entries.flatMap(({ stalls = [] }) =>
    stalls.flatMap(({ cause, chunk = 0, signs }) => {
      if (chunk < BEGINNING_CHUNK_COUNT) return [];
      // The work of a stream that was thrown out, done again, slows the others like any prompt.
      return [cause === 'prefill_interference' && signs.includes('recompute') ? 'recompute' : cause];
    }),
  );
  return Object.fromEntries([...Map.groupBy(named, (cause) => cause)].map(([cause, all]) => [cause, all.length]));
}

/** For whoever reads a failure: each stall with what led to its cause. */
function told(entries: readonly RecordEntry[]): string {
  const worst = entries.map(({ figures }) => Math.round((figures.gapsReceived.maxNs ?? 0) / 1e6)).join(' ');
  const lines = entries.flatMap(({ stalls = [] }) =>
    stalls.map(({ cause, signs, gapNs = 0, numbers }) => {
      return `\n  ${cause} [${signs.join(' ')}] ${Math.round(gapNs / 1e6)} ms ${JSON.stringify(numbers)}`;
    }),
  );
  return `, worst gaps ${worst} ms${lines.join('')}`;
}

/**
 * Stalls that somebody was named for, but for the host: other work on the machine does stop the engine's process, and
 * then that is what is the matter.
 */
function namedCount(causes: Readonly<Record<string, number>>): number {
  const { unknown = 0, host = 0 } = causes;
  return Object.values(causes).reduce((sum, count) => sum + count, 0) - unknown - host;
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
    await askAll(sidecar.listenPort, { count: 4, concurrency: 1 }, (index) =>
      story(`first${index}`, index === 3 ? LONG_PROMPT_CHARS : 200, 8),
    );
    const before = await recordedBy(sidecar, 4);
    const streams = askAll(sidecar.listenPort, { count: 3, concurrency: 3 }, (index) =>
      story(`long${index}`, 100, 450),
    );
    await sleep(1_500);
    for (let index = 0; index < PROMPT_COUNT; index += 1) {
      await askAll(sidecar.listenPort, { count: 1, concurrency: 1 }, () =>
        story(`prompt${index}`, LONG_PROMPT_CHARS, 1),
      );
      await sleep(500);
    }
    await streams;
    const entries = await sidecar.recordsAfter(before, 3 + PROMPT_COUNT);
    const causes = causesOf(entries);
    say(`vLLM, long prompts among streams: ${JSON.stringify(causes)}${told(entries)}`);
    expect(causes['prefill_interference'] ?? 0).toBeGreaterThanOrEqual(6);
    expect(causes['prefill_interference'] ?? 0).toBeGreaterThanOrEqual(RIGHT_LEAST_RATIO * namedCount(causes));
    expect(causes['preemption']).toBeUndefined();
  });

  test('names it nowhere where no prompt came', async ({ skip }) => {
    if (both === undefined) return skip('vLLM cannot be had here');
    const { sidecar } = both;
    const before = sidecar.records().length;
    await askAll(sidecar.listenPort, { count: 3, concurrency: 3 }, (index) => story(`alone${index}`, 100, 200));
    const entries = await sidecar.recordsAfter(before, 3);
    const causes = causesOf(entries);
    say(`vLLM, nothing but streams: ${JSON.stringify(causes)}${told(entries)}`);
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
    const before = await recordedBy(sidecar, 4);
    await askAll(sidecar.listenPort, { count: 4, concurrency: 4 }, (index) => story(`long${index}`, 100, 450));
    const entries = await sidecar.recordsAfter(before, 4);
    const causes = causesOf(entries);
    say(`vLLM, too small a cache: ${JSON.stringify(causes)}${told(entries)}`);
    // Whom vLLM throws out, and how often, depends on how the streams of the run fall together.
    expect(causes['preemption'] ?? 0).toBeGreaterThanOrEqual(1);
    const { preemption = 0, recompute = 0 } = causes;
    expect(preemption + recompute).toBeGreaterThanOrEqual(RIGHT_LEAST_RATIO * namedCount(causes));
    const longest = entries
      .flatMap(({ stalls = [] }) => stalls)
      .reduce((a, b) => ((b.gapNs ?? 0) > (a.gapNs ?? 0) ? b : a));
    expect(longest.cause).toBe('preemption');
  });
});
