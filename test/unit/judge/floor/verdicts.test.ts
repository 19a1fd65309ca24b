// Goal: each verdict over a plan is reached by a plan that deserves it, and its near miss gets another.
// Method: pure; sentences are not compared, names and numbers are.
import { describe, expect, test } from 'vitest';
import { simulateCliff } from '../../../../src/judge/floor/cliff.ts';
import { type FloorQuestion, judgeFloor } from '../../../../src/judge/floor/judge-floor.ts';
import { passFloor } from '../../../../src/judge/floor/pass.ts';
import { FLOOR_VERDICTS, type FloorVerdict } from '../../../../src/judge/floor/verdict.ts';
import { load, setup } from './plans.ts';

const reached = new Set<string>();

function judged(changes: Partial<FloorQuestion>): readonly FloorVerdict[] {
  const verdicts = judgeFloor({ setup: setup(), load: load(), ...changes });
  for (const { verdict } of verdicts) reached.add(verdict);
  return verdicts;
}

/** The verdict among those of a question that answers to `names`. */
function one(changes: Partial<FloorQuestion>, ...names: readonly string[]): FloorVerdict {
  const found = judged(changes).filter(({ verdict }) => names.length === 0 || names.includes(verdict));
  expect(found).toHaveLength(1);
  return found[0]!;
}

const rates = setup({ bandwidthRatio: 0.8, computeRatio: 0.6, overlap: 'additive' });
const busy = load({ batchCount: 64, contextTokens: 2048 });
const GAP = ['gap_met', 'chunk_too_large', 'no_room_for_chunk', 'batch_or_context_impossible'];
const TTFT = ['ttft_met', 'ttft_impossible', 'ttft_beyond_rates', 'chunk_too_small', 'objectives_conflict'];

describe('the gap objective', () => {
  test('is met where the step fits, and says which chunk would', () => {
    const { verdict, ok, numbers } = one({ setup: rates, load: busy, gapMs: 30 }, ...GAP);
    expect([verdict, ok]).toEqual(['gap_met', true]);
    const at = (chunkTokens: number) => passFloor(rates, { ...busy, chunkTokens }).stepMs;
    const most = numbers['chunk_max']!;
    expect(at(most)).toBeLessThanOrEqual(30);
    expect(at(most + 1)).toBeGreaterThan(30);
  });

  test('has the chunk reduced before the batch', () => {
    const { verdict, ok, numbers, text } = one(
      { setup: rates, load: { ...busy, chunkTokens: 2048 }, gapMs: 30 },
      ...GAP,
    );
    expect([verdict, ok]).toEqual(['chunk_too_large', false]);
    expect(numbers['headroom_ms']).toBeGreaterThan(0);
    expect(text).toContain('before you reduce the batch');
    const met = { ...busy, chunkTokens: numbers['chunk_max']! };
    expect(one({ setup: rates, load: met, gapMs: 30 }, ...GAP).verdict).toBe('gap_met');
  });

  test('below the bare step makes the batch or the context itself impossible, and says which would do', () => {
    const { verdict, ok, numbers } = one({ setup: rates, load: busy, gapMs: 10 }, ...GAP);
    expect([verdict, ok]).toEqual(['batch_or_context_impossible', false]);
    expect(numbers['headroom_ms']).toBeLessThan(0);
    const batch = { ...busy, batchCount: numbers['batch_max']! };
    const context = { ...busy, contextTokens: numbers['context_max']! };
    for (const fitting of [batch, context]) {
      expect(one({ setup: rates, load: fitting, gapMs: 10 }, ...GAP).verdict).not.toBe(verdict);
    }
  });

  test('below the weights alone leaves no batch at all', () => {
    const { numbers } = one({ setup: rates, load: busy, gapMs: 5 }, ...GAP);
    expect([numbers['batch_max'], numbers['context_max']]).toEqual([0, 0]);
  });

  test('just above the bare step has no room for any chunk', () => {
    const gapMs = passFloor(rates, busy).stepMs + 0.001;
    expect(one({ setup: rates, load: busy, gapMs }, ...GAP)).toMatchObject({ verdict: 'no_room_for_chunk', ok: true });
    const chunk = { ...busy, chunkTokens: 16 };
    expect(one({ setup: rates, load: chunk, gapMs }, ...GAP)).toMatchObject({
      verdict: 'no_room_for_chunk',
      ok: false,
    });
  });
});

describe('the TTFT objective', () => {
  const h100 = setup({ computeRatio: 0.6 });

  test('of 300 ms on prompts of 32,000 tokens cannot be met, and is renegotiated by prompt length', () => {
    const { verdict, ok, numbers, text } = one({ setup: h100, ttft: { withinMs: 300, promptTokens: 32_000 } }, ...TTFT);
    expect([verdict, ok]).toEqual(['ttft_impossible', false]);
    expect(numbers['prefill_at_peak_ms']).toBeGreaterThan(500);
    expect(text).toContain('Renegotiate by prompt length');
    const shorter = { withinMs: 300, promptTokens: numbers['prompt_max']! };
    expect(one({ setup: h100, ttft: shorter }, ...TTFT).verdict).toBe('ttft_met');
    const longer = { withinMs: 300, promptTokens: numbers['prompt_max']! + 1 };
    expect(one({ setup: h100, ttft: longer }, ...TTFT).verdict).toBe('ttft_beyond_rates');
  });

  test('is missed by chunks that are too small, and met by larger ones', () => {
    const ttft = { withinMs: 150, promptTokens: 4096 };
    const small = { ...busy, chunkTokens: 64 };
    expect(one({ setup: h100, load: small, ttft }, ...TTFT).verdict).toBe('chunk_too_small');
    expect(one({ setup: h100, load: { ...busy, chunkTokens: 4096 }, ttft }, ...TTFT).verdict).toBe('ttft_met');
    const missed = one({ setup: h100, load: small, ttft, gapMs: 200 }, ...TTFT);
    expect(missed).toMatchObject({ verdict: 'chunk_too_small', numbers: { steps: 64 } });
  });

  test('conflicts with the gap where every chunk that keeps the gap is too slow', () => {
    const ttft = { withinMs: 150, promptTokens: 4096 };
    const question = { setup: h100, load: busy, ttft, gapMs: 16 };
    expect(one(question, ...TTFT).verdict).toBe('objectives_conflict');
    expect(one({ ...question, load: { ...busy, chunkTokens: 512 } }, ...TTFT).verdict).toBe('objectives_conflict');
    expect(one({ ...question, ttft: { ...ttft, withinMs: 300 } }, ...TTFT).verdict).toBe('ttft_met');
  });

  test('conflicts with a gap that leaves no room for chunks at all', () => {
    const ttft = { withinMs: 150, promptTokens: 4096 };
    const question = { setup: h100, load: { ...busy, chunkTokens: 64 }, ttft, gapMs: 5 };
    expect(one(question, ...TTFT).verdict).toBe('objectives_conflict');
  });
});

test('memory holds weights and KV cache, or says how many sequences it would', () => {
  const full = load({ batchCount: 128, contextTokens: 4096 });
  const { verdict, numbers } = one({ load: full });
  expect(verdict).toBe('memory_exceeded');
  const batchCount = numbers['batch_max']!;
  expect(one({ load: { ...full, batchCount } }).verdict).toBe('memory_fits');
  expect(one({ load: { ...full, batchCount: batchCount + 1 } }).verdict).toBe('memory_exceeded');
  const far = setup({}, 'llama-3.1-405b');
  expect(one({ setup: far })).toMatchObject({ verdict: 'memory_exceeded', numbers: { batch_max: 0 } });
});

test('a chunk is below the ridge or above it', () => {
  const names = ['below_ridge', 'above_ridge'];
  expect(one({ load: load({ batchCount: 64, chunkTokens: 128 }) }, ...names).verdict).toBe('below_ridge');
  expect(one({ load: load({ batchCount: 64, chunkTokens: 512 }) }, ...names).verdict).toBe('above_ridge');
});

test('speculation pays at a small batch and costs at a large one', () => {
  const names = ['speculation_pays', 'speculation_costs'];
  const speculation = { draftTokens: 4, acceptedRatio: 0.4 };
  expect(one({ speculation }, ...names)).toMatchObject({ verdict: 'speculation_pays', ok: true });
  const large = load({ batchCount: 512, contextTokens: 128 });
  expect(one({ load: large, speculation }, ...names)).toMatchObject({ verdict: 'speculation_costs', ok: false });
});

test('p99 stands on the base below one in a hundred and on the stall above', () => {
  const names = ['p99_on_base', 'p99_on_stall'];
  const at = (stalledRatio: number) => simulateCliff({ baseMs: 12, stallMs: 55, stalledRatio, seed: 1 });
  expect(one({ cliff: at(0.009) }, ...names)).toMatchObject({ verdict: 'p99_on_base', numbers: { p99_ms: 12 } });
  expect(one({ cliff: at(0.011) }, ...names)).toMatchObject({ verdict: 'p99_on_stall', numbers: { p99_ms: 67 } });
});

test('a measured step is near its floor, above it, or proof that the plan is another', () => {
  const names = ['near_floor', 'above_floor', 'below_floor'];
  const plan = { load: load({ batchCount: 64, contextTokens: 4096 }) };
  expect(one({ ...plan, measuredMs: 24 }, ...names).verdict).toBe('above_floor');
  expect(one({ ...plan, measuredMs: 16 }, ...names)).toMatchObject({ verdict: 'near_floor', ok: true });
  expect(one({ ...plan, measuredMs: 15 }, ...names).verdict).toBe('below_floor');
});

test('every verdict that has a name was reached above', () => {
  expect([...reached].toSorted()).toEqual([...FLOOR_VERDICTS].toSorted());
});
