// Goal: for every engine that states its times in any way, queue and prefill of each exchange are what the
// engine did; where it states nothing, they are absent and never 0.
// Method: the reference engine as every engine of the table, one sidecar before all of them, four clients at
// two slots. What a record says is held against the engine's truth log: the median of the errors within 2 ms,
// and a loose bound on each. A machine that stops a process for milliseconds can make an exchange's evidence
// contradict our clock, or a head come late: so a quarter may tell nothing, and a row has three attempts. A
// wrong reading fails in all of them.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { generatedCount } from '../support/answer.ts';
import { Grid, OUTPUT_TOKENS, type GridExchange, type GridRow } from '../support/grid.ts';

const MS = 1_000_000;
const MEDIAN_ERROR_MAX_NS = 2 * MS;
/** What no machine adds to a moment unless it was stopped altogether. */
const ERROR_MAX_NS = 150 * MS;

/** Share of a row's exchanges of which the parts must be known. */
const TOLD_RATIO_MIN = 0.75;
const ATTEMPTS = { retry: 2 };

type Named = readonly [name: string, row: GridRow];

/** Engines that state both in their answers. */
const IN_BAND: readonly Named[] = [
  ['vLLM, chat', { persona: 'vllm', route: 'chat' }],
  ['vLLM, completions', { persona: 'vllm', route: 'completions' }],
  ['KServe before vLLM', { persona: 'kserve', route: 'chat' }],
  ['SGLang, /generate', { persona: 'sglang-generate', route: 'generate' }],
  ['llama.cpp, chat', { persona: 'llamacpp', route: 'chat' }],
  ['llama.cpp, completions', { persona: 'llamacpp', route: 'completions' }],
  ['llama.cpp, /completion', { persona: 'llamacpp', route: 'completion' }],
  ['older llama.cpp, chat', { persona: 'llamacpp-old', route: 'chat' }],
  ['Ollama, /api/chat', { persona: 'ollama', route: 'chat' }],
  ['Ollama, /api/generate', { persona: 'ollama', route: 'generate' }],
  ['Azure OpenAI', { persona: 'azure', route: 'chat' }],
  ['Groq', { persona: 'groq', route: 'chat' }],
  ['Cerebras', { persona: 'cerebras', route: 'chat' }],
  ['Fireworks', { persona: 'fireworks', route: 'chat' }],
];

/** Engines that state both elsewhere: on spans, in each form of OTLP, or on a list of finished requests. */
const BESIDE: readonly Named[] = [
  ['vLLM by spans, protobuf', { persona: 'vllm-old', route: 'chat', spans: 'http/protobuf' }],
  ['vLLM by spans, gRPC', { persona: 'vllm-old', route: 'completions', spans: 'grpc' }],
  ['SGLang by spans, gRPC', { persona: 'sglang', route: 'chat', spans: 'grpc' }],
  ['SGLang by spans, protobuf', { persona: 'sglang', route: 'completions', spans: 'http/protobuf' }],
  ['TGI by spans, JSON', { persona: 'tgi', route: 'generate', spans: 'http/json' }],
  ['TGI by spans, protobuf', { persona: 'tgi', route: 'chat', spans: 'http/protobuf' }],
  ['TensorRT-LLM by spans, gRPC', { persona: 'tensorrt-llm', route: 'chat', spans: 'grpc' }],
  ['TensorRT-LLM by /perf_metrics', { persona: 'tensorrt-llm', route: 'chat', perfMetrics: true }],
];

/** Engines that state neither, with everything on that they have. */
const SILENT: readonly Named[] = [
  ['vLLM, Responses', { persona: 'vllm', route: 'responses' }],
  ['vLLM, Messages', { persona: 'vllm', route: 'messages' }],
  ['vLLM before its times', { persona: 'vllm-old', route: 'chat' }],
  ['vLLM, Rust front end', { persona: 'vllm-rust', route: 'chat' }],
  ["Ollama in OpenAI's words", { persona: 'ollama', route: 'compat' }],
  ['Triton, generate_stream', { persona: 'triton', route: 'generate' }],
  ['Triton, OpenAI front end', { persona: 'triton', route: 'chat' }],
  ["Dynamo, whose times are the router's", { persona: 'dynamo', route: 'chat' }],
  ['LMDeploy', { persona: 'lmdeploy', route: 'chat' }],
  ['OpenAI', { persona: 'openai', route: 'chat' }],
  ['OpenAI, Responses', { persona: 'responses', route: 'responses' }],
  ['Anthropic', { persona: 'anthropic', route: 'messages' }],
  ['Gemini', { persona: 'gemini', route: 'sse' }],
  ['Gemini, JSON array', { persona: 'gemini', route: 'array' }],
  ['Cohere', { persona: 'cohere', route: 'chat' }],
  ['Bedrock, converse-stream', { persona: 'bedrock', route: 'converse' }],
  ['Bedrock, invoke', { persona: 'bedrock', route: 'invoke' }],
  ['Together', { persona: 'together', route: 'chat' }],
  ['Mistral', { persona: 'mistral', route: 'chat' }],
  ['DeepSeek', { persona: 'deepseek', route: 'chat' }],
  ['OpenRouter', { persona: 'openrouter', route: 'chat' }],
];

const OFF = { inBand: false, usage: false, continuousUsage: false, headers: false, metrics: false } as const;

/** Engines whose statements are all off, the moment of llama.cpp's head apart: no flag switches that off. */
const SWITCHED_OFF: readonly Named[] = [...IN_BAND, ...BESIDE]
  .filter(([, { persona, route }]) => persona !== 'llamacpp' && route !== 'completions')
  .map(([name, { persona, route }]) => [name, { persona, route, signals: OFF }]);

/** Engines whose counters tell of one exchange when it was the only one between two looks at them. */
const ALONE: readonly Named[] = [
  ['vLLM, Rust front end', { persona: 'vllm-rust', route: 'chat', counters: '/metrics' }],
  ['LMDeploy', { persona: 'lmdeploy', route: 'chat', counters: '/metrics' }],
  ['TensorRT-LLM', { persona: 'tensorrt-llm', route: 'chat', counters: '/prometheus/metrics' }],
];

const NIM: GridRow = { persona: 'nim', route: 'chat' };
const HEAD_ONLY: GridRow = { persona: 'llamacpp', route: 'chat', signals: OFF };
const TGI_WHOLE: GridRow = { persona: 'tgi', route: 'generate', stream: false };

const ALL = [...IN_BAND, ...BESIDE, ...SILENT, ...SWITCHED_OFF, ...ALONE].map(([, row]) => row);

let grid: Grid;
beforeAll(async () => {
  grid = await Grid.start([...ALL, NIM, HEAD_ONLY, TGI_WHOLE]);
}, 60_000);
afterEach(() => expect(grid.faults()).toEqual([]));
afterAll(() => grid.stop());

async function play(row: GridRow, rounds = 3): Promise<GridExchange[]> {
  const exchanges = await grid.play(row, rounds);
  for (const { answer, entry } of exchanges) {
    expect(answer).toMatchObject({ end: 'complete', status: 200 });
    expect(entry.record.end.outcome).toBe('ok');
    // The sidecar has read the dialect: each token where it is, and nothing else taken for one.
    if (row.stream !== false) expect(generatedCount(entry)).toBe(OUTPUT_TOKENS);
  }
  // Without a queue the grid would show nothing: the engine has two slots for four clients.
  expect(median(exchanges.map(({ queueNs }) => queueNs))).toBeGreaterThan(5 * MS);
  return exchanges;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Of most exchanges the part is known, and then it is what the engine did. */
function expectNear(exchanges: readonly GridExchange[], part: 'queueNs' | 'prefillNs'): void {
  const errorsNs = exchanges.flatMap((exchange) => {
    const { split } = exchange.entry.figures;
    const saidNs = split?.[part];
    if (saidNs === undefined) return [];
    expect(split?.basis).toBe('exact');
    return [Math.max(0, Math.abs(saidNs - exchange[part]) - exchange.engineLateNs)];
  });
  expect(errorsNs.length, `exchanges with ${part}`).toBeGreaterThanOrEqual(exchanges.length * TOLD_RATIO_MIN);
  expect(median(errorsNs), part).toBeLessThanOrEqual(MEDIAN_ERROR_MAX_NS);
  expect(Math.max(...errorsNs), part).toBeLessThanOrEqual(ERROR_MAX_NS);
}

function expectNothing(exchanges: readonly GridExchange[]): void {
  for (const { entry } of exchanges) {
    const { split } = entry.figures;
    expect(split).toMatchObject({ basis: 'none' });
    expect(split).not.toHaveProperty('queueNs');
    expect(split).not.toHaveProperty('prefillNs');
    expect(split?.engineNs).toBeGreaterThan(0);
  }
}

describe('queue and prefill of every exchange are what the engine did', () => {
  test.each([...IN_BAND, ...BESIDE])('%s', ATTEMPTS, async (_, row) => {
    const exchanges = await play(row);
    expectNear(exchanges, 'queueNs');
    expectNear(exchanges, 'prefillNs');
  });

  test('llama.cpp without its timings: the queue, by the moment of its head, and no prefill', ATTEMPTS, async () => {
    const exchanges = await play(HEAD_ONLY);
    expectNear(exchanges, 'queueNs');
    for (const { entry } of exchanges) expect(entry.figures.split).not.toHaveProperty('prefillNs');
  });

  test(
    'NIM: the queue, and no prefill, since nobody says where its time to the first token begins',
    ATTEMPTS,
    async () => {
      const exchanges = await play(NIM);
      expectNear(exchanges, 'queueNs');
      for (const { entry } of exchanges) expect(entry.figures.split).not.toHaveProperty('prefillNs');
    },
  );

  test.each(ALONE)('%s, by its counters: the prefill of an exchange that was alone', ATTEMPTS, async (_, row) => {
    const exchanges = await grid.playAlone(row, 4);
    for (const { entry } of exchanges) {
      for (const { source } of entry.record.evidence) expect(source).toBe('isolated-counters');
      // Nobody was before it. A counter of queues that grew by nothing has told nothing.
      expect(entry.figures.split).not.toHaveProperty('queueNs');
    }
    expectNear(exchanges, 'prefillNs');
  });

  test('TGI in one piece: the queue its head states, in whole ms', async () => {
    for (const { entry, queueNs } of await play(TGI_WHOLE, 1)) {
      const [evidence] = entry.record.evidence;
      expect(evidence).toMatchObject({ source: 'tgi-head', basis: 'exact' });
      expect(evidence?.queueNs).toBe(Math.floor(queueNs / MS) * MS);
      expect(evidence).not.toHaveProperty('prefillNs');
    }
  });
});

// Each row waits for evidence that never comes, and none of their figures is held to a moment.
describe.concurrent('queue and prefill are absent, and never 0', () => {
  test.each(SILENT)('%s states neither', async (_, row) => {
    expectNothing(await play(row, 1));
  });

  test.each(SWITCHED_OFF)('%s, with its statements switched off', async (_, row) => {
    expectNothing(await play(row, 1));
  });
});
