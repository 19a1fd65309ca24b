// Goal: over real sockets, by the sidecar as its users run it, what a reference engine does on purpose is named: a long
// prompt among running streams, a request thrown out of a full cache, a host that stands still.
// Method: the engine's own account of each gap (its truth) is the label, as in the study in virtual time; stalls that
// are mostly this machine's doing are left out. Bounds are one-sided.
import { afterEach, describe, expect, test } from 'vitest';
import { gapNsOf } from '../../src/client/reference-engine/gap-parts.ts';
import { gapShares, largestShare, usualGap, type Mechanic } from '../../src/client/reference-engine/gap-truth.ts';
import type { EngineModel } from '../../src/client/reference-engine/model.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import type { StallCause } from '../../src/record/stall-context.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const MS = 1_000_000;
/** Other work on the machine can hold a stream up for as long as a stall; what the engine does is made longer. */
const RIGHT_LEAST = 0.75;
const MODEL: EngineModel = {
  maxRunning: 16,
  stepTokens: 8_192,
  stepBaseNs: 20 * MS,
  decodeNs: 200_000,
  contextNs: 50,
  prefillNs: 100_000,
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Ask {
  readonly id: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly afterMs?: number;
}

async function play(
  model: EngineModel,
  asks: readonly Ask[],
): Promise<{ engine: ReferenceEngine; entries: RecordEntry[] }> {
  const engine = await startReferenceEngine({ model, models: ['m'] });
  closers.push(() => engine.close());
  const args = ['--engine-metrics', `${engine.url}/metrics`, '--engine-metrics-interval', '0.5', '--stall-ms', '150'];
  const sidecar = await Sidecar.start({ upstream: engine.url, args });
  closers.push(() => sidecar.stop());
  await Promise.all(
    asks.map(async ({ id, promptTokens, outputTokens, afterMs = 0 }) => {
      await sleep(afterMs);
      await sendRequest({
        url: `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`,
        headers: { 'x-request-id': id },
        body: JSON.stringify({
          model: 'm',
          stream: true,
          max_tokens: outputTokens,
          ignore_eos: true,
          messages: [{ role: 'user', content: id.padEnd(4 * promptTokens, ' tempo rubato') }],
        }),
      });
    }),
  );
  return { engine, entries: await sidecar.untilRecords(asks.length) };
}

interface Labelled {
  readonly mechanic: Mechanic | undefined;
  readonly cause: StallCause;
}

/** Each stall that the engine made for the most part, with its reason and its name. */
function labelled(engine: ReferenceEngine, entries: readonly RecordEntry[]): Labelled[] {
  return entries.flatMap(({ record, stalls = [] }) => {
    const truth = engine.truth(record.answer.responseId?.replace('chatcmpl-', '') ?? '');
    if (truth === undefined) throw new Error(`the engine does not know ${record.answer.responseId}`);
    return stalls.flatMap(({ chunk = 0, gapNs = 0, cause }) => {
      // One token an event: those that came before the stall ended tell which gap it was.
      const before = record.events.chunk.filter((row, nth) => row < chunk && (record.events.generated[nth] ?? 0) > 0);
      const gap = truth.gaps[before.length - 1];
      if (gap === undefined || gapNsOf(gap) < 0.7 * gapNs) return [];
      const shares = gapShares(usualGap(truth.gaps.slice(0, before.length - 1), gap), gap, 1);
      return [{ mechanic: largestShare(shares), cause }];
    });
  });
}

function expectNamed(all: readonly Labelled[], mechanic: Mechanic, cause: StallCause): void {
  const own = all.filter((each) => each.mechanic === mechanic);
  const named = own.map((each) => each.cause);
  expect(own.length, JSON.stringify(all)).toBeGreaterThan(0);
  const right = named.filter((each) => each === cause).length;
  expect(right, JSON.stringify(named)).toBeGreaterThanOrEqual(RIGHT_LEAST * named.length);
}

const STREAMS = ['a', 'b', 'c'].map((id, nth) => ({ id, promptTokens: 40, outputTokens: 180, afterMs: 150 * nth }));

describe('an engine that', () => {
  test('reads long prompts among running streams is said to', async () => {
    const long = [1_000, 2_000, 3_000].map((afterMs, nth) => ({
      id: `long${nth}`,
      promptTokens: 4_000 + 500 * nth,
      outputTokens: 5,
      afterMs,
    }));
    const { engine, entries } = await play(MODEL, [...STREAMS, ...long]);
    expectNamed(labelled(engine, entries), 'prefill', 'prefill_interference');
  });

  test('throws a request out for want of room is said to', async () => {
    const model = { ...MODEL, kvCapacityTokens: 448, paging: { blockTokens: 16 } };
    // The first leaves room behind half a second after there was none, and the second goes on for long.
    const lengths = [140, 200, 150];
    const streams = STREAMS.map((stream, nth) => ({ ...stream, outputTokens: lengths[nth] ?? 0 }));
    const { engine, entries } = await play(model, streams);
    expect(engine.truths().some(({ preemptedAtNs }) => preemptedAtNs !== undefined)).toBe(true);
    expectNamed(labelled(engine, entries), 'preemption', 'preemption');
  });

  test('stands still now and then is said to', async () => {
    const model = { ...MODEL, host: { everySteps: 40, lowestNs: 400 * MS, highestNs: 500 * MS, requestNs: 0 } };
    const { engine, entries } = await play(model, STREAMS);
    expectNamed(labelled(engine, entries), 'host', 'host');
  });
});
