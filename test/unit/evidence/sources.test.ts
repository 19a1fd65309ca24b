// Goal: each source states the engine's own lengths in integer ns, in the meaning its file tells, and
// nothing where the engine said nothing usable. Method: numbers as published, their borders, near misses.
import { describe, expect, it } from 'vitest';
import type { EvidenceSubject } from '../../../src/evidence/source.ts';
import { gatherEvidence } from '../../../src/evidence/table.ts';
import type { EngineName } from '../../../src/record/engines.ts';
import type { Evidence, Statements } from '../../../src/record/stream-record.ts';
import { ms } from '../../support/record-builder.ts';

function evidenceOf(statements: Statements, more: Partial<EvidenceSubject> = {}): Evidence[] {
  return gatherEvidence({
    engine: undefined,
    dialect: 'openai-chat',
    streamed: true,
    choiceCount: 1,
    statements,
    requestSentAtNs: ms(1),
    headReceivedAtNs: ms(5),
    firstEventAtNs: ms(1_001),
    firstTokenAtNs: ms(1_001),
    lastTokenAtNs: ms(2_000),
    ...more,
  });
}

function shownInBody(name: EngineName): Partial<EvidenceSubject> {
  return { engine: { name, by: 'body' } };
}

/** Queue and prefill as the statements tell, with the definition left aside. */
function lengthsOf(statements: Statements, more: Partial<EvidenceSubject> = {}): object[] {
  return evidenceOf(statements, more).map(({ source, basis, queueNs, prefillNs }) => {
    expect(basis).toBe('exact');
    return { source, ...(queueNs === undefined ? {} : { queueNs }), ...(prefillNs === undefined ? {} : { prefillNs }) };
  });
}

describe('the lengths of', () => {
  it.each<[string, Statements, Partial<EvidenceSubject>, number | undefined, number | undefined]>([
    [
      'vllm-metrics',
      { 'metrics.queue_time_ms': 835.68, 'metrics.time_to_first_token_ms': 12.0000004 },
      {},
      835_680_000,
      12_000_000,
    ],
    ['vllm-metrics', { 'metrics.time_to_first_token_ms': 12 }, shownInBody('vllm'), undefined, 12_000_000],
    ['vllm-metrics', { 'metrics.queue_time_ms': 0 }, {}, 0, undefined],
    [
      'sglang-meta',
      {
        'meta_info.queue_time': 0.25,
        'meta_info.forward_entry_time': 1_764_083_329.5,
        'meta_info.prefill_finished_time': 1_764_083_329.75,
      },
      {},
      250_000_000,
      250_000_000,
    ],
    ['sglang-meta', { 'meta_info.queue_time': 0.25, 'meta_info.forward_entry_time': 5 }, {}, 250_000_000, undefined],
    [
      'ollama-durations',
      { total_duration: 900, load_duration: 100, prompt_eval_duration: 200, eval_duration: 300 },
      {},
      400,
      200,
    ],
    ['ollama-durations', { total_duration: 900, prompt_eval_duration: 200 }, {}, undefined, 200],
    ['ollama-durations', { total_duration: 10, prompt_eval_duration: 2_000_010, eval_duration: 0 }, {}, 0, 2_000_010],
    [
      'ollama-durations',
      { total_duration: 10, prompt_eval_duration: 2_000_011, eval_duration: 0 },
      {},
      undefined,
      2_000_011,
    ],
    ['groq-usage', { 'x_groq.usage.queue_time': 0.02, 'x_groq.usage.prompt_time': 0.008 }, {}, 20_000_000, 8_000_000],
    [
      'groq-usage',
      { 'usage.queue_time': 0.02, 'usage.prompt_time': 0.008 },
      shownInBody('groq'),
      20_000_000,
      8_000_000,
    ],
    [
      'cerebras-time-info',
      { 'time_info.queue_time': 0.000096069, 'time_info.prompt_time': 0.002166527 },
      {},
      96_069,
      2_166_527,
    ],
    [
      'fireworks-perf',
      { 'perf_metrics.prefill-queue-duration': 0.25, 'perf_metrics.prefill-duration': 0.125 },
      {},
      250_000_000,
      125_000_000,
    ],
    ['fireworks-perf', { 'head.fireworks-prefill-queue-duration': 0.25 }, {}, 250_000_000, undefined],
    [
      'azure-latency-checkpoint',
      { 'usage.latency_checkpoint.pre_inference_ms': 85, 'usage.latency_checkpoint.engine_ttft_ms': 25 },
      {},
      85_000_000,
      25_000_000,
    ],
    [
      'azure-latency-checkpoint',
      { 'response.usage.service_tier_details.latency_checkpoint.engine_ttft_ms': 25 },
      {},
      undefined,
      25_000_000,
    ],
    ['nim-stats', { 'stats.time_in_queue_in_ms': 10.5 }, {}, 10_500_000, undefined],
    ['tgi-head', { 'head.x-queue-time': 12 }, { ...shownInBody('tgi'), streamed: false }, 12_000_000, undefined],
    [
      'tgi-head',
      { 'head.x-queue-time': 12, 'head.x-validation-time': 0, 'head.x-inference-time': 9 },
      {},
      12_000_000,
      undefined,
    ],
    ['server-timing', { 'head.server-timing.queue': 3.5, 'head.server-timing.prefill': 8 }, {}, 3_500_000, 8_000_000],
    ['server-timing', { 'head.server-timing.prompt_eval': 8 }, {}, undefined, 8_000_000],
    ['llamacpp-timings', { 'response.timings.prompt_ms': 8.25 }, { streamed: false }, undefined, 8_250_000],
  ])('%s from %j', (source, statements, more, queueNs, prefillNs) => {
    const lengths = {
      ...(queueNs === undefined ? {} : { queueNs }),
      ...(prefillNs === undefined ? {} : { prefillNs }),
    };
    expect(lengthsOf(statements, more)).toEqual([{ source, ...lengths }]);
  });
});

describe('nothing is said', () => {
  it.each<[string, Statements, Partial<EvidenceSubject>]>([
    ['without statements', {}, {}],
    ['of a number below 0', { 'metrics.queue_time_ms': -1, 'time_info.queue_time': -0.001 }, {}],
    ['of more than a day', { 'metrics.queue_time_ms': 86_400_000.001, 'x_groq.usage.queue_time': 86_401 }, {}],
    ['of no number', { 'metrics.queue_time_ms': Number.NaN, 'stats.time_in_queue_in_ms': Infinity }, {}],
    [
      'of instants that did not happen or run backwards',
      { 'meta_info.forward_entry_time': 0, 'meta_info.prefill_finished_time': 1_764_083_329 },
      {},
    ],
    [
      'of a prefill that ends before it began',
      { 'meta_info.forward_entry_time': 7, 'meta_info.prefill_finished_time': 6 },
      {},
    ],
    ['of times in the usage by others than Groq', { 'usage.queue_time': 5, 'usage.prompt_time': 5 }, {}],
    ['of a queue field that need not be TGI', { 'head.x-queue-time': 12, 'head.x-inference-time': 9 }, {}],
    [
      'of TGI fields from a body of another engine',
      { 'head.x-queue-time': 1, 'head.x-validation-time': 1, 'head.x-inference-time': 1 },
      shownInBody('vllm'),
    ],
    [
      'of what is neither queue nor prefill',
      {
        'nvext.timing.prefill_wait_time_ms': 5,
        'nvext.timing.prefill_time_ms': 5,
        'metrics.latencyMs': 5,
        'head.openai-processing-ms': 5,
        'head.x-envoy-upstream-service-time': 5,
        'head.server-timing.gfet4t7': 5,
        'stats.response_tokens.time_to_first_token_in_ms': 5,
        total_duration: 5,
      },
      {},
    ],
    ['of several choices', { 'metrics.queue_time_ms': 1, 'timings.prompt_ms': 1 }, { choiceCount: 2 }],
  ])('%s', (_, statements, more) => {
    expect(evidenceOf(statements, more)).toEqual([]);
  });
});

describe('definitions', () => {
  it('stand where a length is not quite what the part means', () => {
    const definitionOf = (statements: Statements): string | undefined => evidenceOf(statements)[0]?.definition;
    expect(definitionOf({ 'metrics.queue_time_ms': 1 })).toBeUndefined();
    expect(definitionOf({ 'usage.latency_checkpoint.engine_ttft_ms': 1 })).toContain('a wait in the engine within');
    expect(definitionOf({ total_duration: 3, prompt_eval_duration: 1, eval_duration: 1 })).toContain(
      'loading the model',
    );
    expect(definitionOf({ prompt_eval_duration: 1 })).toBeUndefined();
    expect(definitionOf({ 'head.server-timing.queue': 1 })).toContain('Server-Timing');
  });
});

describe("a time to the first token that is not said to be vLLM's", () => {
  const stated = { 'metrics.time_to_first_token_ms': 12 };

  it('is no prefill: elsewhere the name means all the time up to the token', () => {
    expect(evidenceOf(stated)).toEqual([]);
    expect(evidenceOf(stated, shownInBody('llama.cpp'))).toEqual([]);
  });

  it("is one beside vLLM's queue, whoever passed it on", () => {
    const beside = { ...stated, 'metrics.queue_time_ms': 3 };
    expect(evidenceOf(beside, shownInBody('openrouter'))).toMatchObject([{ queueNs: ms(3), prefillNs: ms(12) }]);
  });
});

describe("Ollama's queue", () => {
  const durations = { total_duration: ms(3_000), prompt_eval_duration: ms(300), eval_duration: ms(900) };
  const queueNs = (more: Partial<EvidenceSubject>): number | undefined => evidenceOf(durations, more)[0]?.queueNs;

  it('is no longer than the time before the prefill, however long a slow client held the handler up afterwards', () => {
    expect(queueNs({})).toBe(ms(700));
    expect(queueNs({ wireFloorNs: ms(20) })).toBe(ms(680));
  });

  it('is what the total leaves where that is less, and where no token was seen to come', () => {
    expect(queueNs({ firstTokenAtNs: ms(2_500) })).toBe(ms(1_800));
    expect(queueNs({ streamed: false })).toBe(ms(1_800));
    expect(queueNs({ firstTokenAtNs: undefined as never })).toBe(ms(1_800));
  });

  it('is not bent to fit where even the prefill is longer than the time that passed', () => {
    expect(queueNs({ firstTokenAtNs: ms(200) })).toBe(ms(1_800));
  });
});

describe("Fireworks' unit", () => {
  /** The token came 1 s after the request was sent. */
  const unitTold = (ttft: number, more: Partial<EvidenceSubject> = {}): Evidence | undefined =>
    evidenceOf({ 'perf_metrics.prefill-duration': 300, 'perf_metrics.server-time-to-first-token': ttft }, more)[0];

  it('is ms only where s is impossible and ms is not', () => {
    expect(unitTold(1_000)).toMatchObject({ prefillNs: ms(300), definition: expect.stringContaining('ms') });
    expect(unitTold(10.001)).toMatchObject({ prefillNs: ms(300) });
  });

  it('is s in every other case', () => {
    const seconds = { source: 'fireworks-perf', basis: 'exact', prefillNs: ms(300_000) };
    expect(unitTold(10)).toEqual(seconds);
    expect(unitTold(1_000.001)).toEqual(seconds);
    expect(unitTold(0.9)).toEqual(seconds);
    expect(unitTold(1_000, { firstTokenAtNs: undefined as never })).toEqual(seconds);
  });
});

describe('the order of sources', () => {
  it('is body, then head, then what any hop may have written', () => {
    const sources = evidenceOf({
      'head.server-timing.queue': 1,
      'head.x-queue-time': 1,
      'head.x-validation-time': 1,
      'head.x-inference-time': 1,
      'usage.latency_checkpoint.pre_inference_ms': 1,
      'metrics.queue_time_ms': 1,
    }).map(({ source }) => source);
    expect(sources).toEqual(['vllm-metrics', 'azure-latency-checkpoint', 'tgi-head', 'server-timing']);
  });
});
