// Goal: each engine's page gives the same facts under the same names, old names included.
// Method: pages written after the engines' sources, read whole.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MetricsScanner } from '../../../../src/observe/engine-metrics/prometheus-text.ts';
import {
  ENGINE_METRIC_NAMES,
  readEngine,
  type EngineReading,
  type Series,
} from '../../../../src/observe/engine-metrics/reading.ts';
import {
  DYNAMO_PAGE,
  LLAMA_CPP_PAGE,
  LMDEPLOY_PAGE,
  OLD_VLLM_PAGE,
  SGLANG_PAGE,
  tensorRtLlmPage,
  TGI_PAGE,
  TRITON_PAGE,
  vllmPage,
} from './pages.ts';

function read(text: string): EngineReading | undefined {
  const scanner = new MetricsScanner(ENGINE_METRIC_NAMES);
  scanner.feed(text);
  return readEngine(scanner.end().samples);
}

function sum(series: Series | undefined): number | undefined {
  return series === undefined ? undefined : [...series.values()].reduce((all, value) => all + value, 0);
}

/** A reading with each counter as the sum of its series. */
function brief(reading: EngineReading | undefined) {
  if (reading === undefined) return undefined;
  const { queue, prefill, step, prefixHit, draftAccepted, preempted, generated } = reading;
  const mean = (each: typeof step) =>
    each === undefined
      ? undefined
      : 'lengthS' in each
        ? each.lengthS
        : [sum(each.sum), sum(each.count), each.observedAt];
  const share = (each: typeof prefixHit) =>
    each === undefined ? undefined : 'ratio' in each ? each.ratio : [sum(each.part), each.otherIs, sum(each.other)];
  return {
    engine: reading.engine,
    load: [reading.runningCount, reading.waitingCount, reading.kvUsedRatio],
    counters: [sum(preempted), sum(generated)],
    shares: [share(prefixHit), share(draftAccepted)],
    means: [mean(queue), mean(prefill), mean(step)],
  };
}

describe('engines', () => {
  test('vLLM', () => {
    const page = vllmPage({
      running: 3,
      waiting: 2,
      queue: [1.5, 4],
      prefill: [2, 4],
      preempted: 7,
      generated: 90,
      prompt: [30, 120],
      drafts: [4, 8],
    });
    expect(brief(read(page))).toEqual({
      engine: 'vllm',
      load: [3, 2, 0.25],
      counters: [7, 90],
      shares: [
        [30, 'whole', 120],
        [4, 'whole', 8],
      ],
      means: [
        [1.5, 4, 'finish'],
        [2, 4, 'finish'],
        [0.5, 50, undefined],
      ],
    });
    expect(read(page)?.processStartedEpochS).toBe(1.79e9);
  });

  test('vLLM under its names of before 2025', () => {
    expect(brief(read(OLD_VLLM_PAGE))).toMatchObject({
      engine: 'vllm',
      load: [3, 1, 0.5],
      shares: [[4, 'whole', 10], undefined],
      means: [undefined, undefined, [0.4, 4, undefined]],
    });
  });

  test('several engines and models of one vLLM add up, and the fullest cache stands for all', () => {
    const pages = vllmPage({ running: 3, queue: [1, 2] }) + vllmPage({ running: 4, queue: [0.5, 1] }, '1');
    const reading = read(pages.replaceAll('kv_cache_usage_perc{engine="1"', 'kv_cache_usage_perc{fuller="1"'));
    expect(reading?.runningCount).toBe(7);
    expect([sum(reading?.queue?.sum), reading?.queue?.count.size]).toEqual([1.5, 2]);
    const full = read(
      'vllm:num_requests_running 1\nvllm:kv_cache_usage_perc{e="0"} 0.1\nvllm:kv_cache_usage_perc{e="1"} 1\n',
    );
    expect(full?.kvUsedRatio).toBe(1);
  });

  test('SGLang, whose ranks repeat each other', () => {
    expect(brief(read(SGLANG_PAGE))).toEqual({
      engine: 'sglang',
      load: [5, 1, 0.2],
      counters: [4, 40],
      shares: [0.75, 0.6],
      means: [[0.5, 10, 'start'], [2, 10, undefined], undefined],
    });
  });

  test('TGI', () => {
    expect(brief(read(TGI_PAGE))).toEqual({
      engine: 'tgi',
      load: [2, 4, undefined],
      counters: [undefined, 900],
      shares: [undefined, undefined],
      means: [
        [0.75, 5, 'finish'],
        [1.5, 5, 'start'],
        [4, 200, undefined],
      ],
    });
  });

  test('llama.cpp, which counts no requests and so has no means', () => {
    expect(brief(read(LLAMA_CPP_PAGE))).toEqual({
      engine: 'llama.cpp',
      load: [1, 2, undefined],
      counters: [undefined, 80],
      shares: [
        [100, 'rest', 300],
        [5, 'whole', 10],
      ],
      means: [undefined, undefined, undefined],
    });
  });

  test.each(['trtllm_', 'trtllm:', ''])('TensorRT-LLM with the prefix %j', (prefix) => {
    expect(brief(read(tensorRtLlmPage(prefix)))).toEqual({
      engine: 'tensorrt-llm',
      load: [5, 6, 0.125],
      counters: [undefined, 70],
      shares: [0.5, undefined],
      means: [[0.25, 2, 'finish'], [0.5, 2, 'finish'], 0.0125],
    });
  });

  test('LMDeploy', () => {
    expect(brief(read(LMDEPLOY_PAGE))).toEqual({
      engine: 'lmdeploy',
      load: [1, 0, 0.0625],
      counters: [undefined, 12],
      shares: [0.25, [6, 'whole', 8]],
      means: [
        [0.5, 1, 'finish'],
        [0.25, 1, 'finish'],
        [0.2, 10, undefined],
      ],
    });
  });

  test("Triton, whose own queue is not the batcher's and is left out", () => {
    expect(brief(read(TRITON_PAGE))).toMatchObject({
      engine: 'triton',
      load: [2, 3, 0.375],
      means: [undefined, undefined, undefined],
    });
  });

  test('Dynamo, where requests in three stages wait', () => {
    expect(brief(read(DYNAMO_PAGE))).toMatchObject({
      engine: 'dynamo',
      load: [6, 6, undefined],
      counters: [undefined, 44],
    });
  });

  test('a front end gives the name, and the engine behind it the numbers', () => {
    expect(brief(read(TRITON_PAGE + vllmPage({ running: 8, queue: [1, 2] })))).toMatchObject({
      engine: 'triton',
      load: [8, 0, 0.25],
      means: [[1, 2, 'finish'], expect.anything(), expect.anything()],
    });
  });
});

describe('pages of real engines', () => {
  // vLLM 0.32.0 on a CPU after 13 requests, its buckets left out; llama.cpp b11434 after 3.
  const captured = (name: string): string => readFileSync(new URL(`captured/${name}.txt`, import.meta.url), 'utf8');

  test('vLLM 0.32.0', () => {
    const reading = read(captured('vllm-0.32.0'));
    expect(brief(reading)).toMatchObject({ engine: 'vllm', load: [0, 0, 0], counters: [0, 156] });
    expect([sum(reading?.queue?.count), sum(reading?.prefill?.count), sum(reading?.whole?.count)]).toEqual([
      13, 13, 13,
    ]);
    expect(Math.round((sum(reading?.prefill?.sum) ?? 0) * 1e3)).toBe(252);
    expect(reading?.processStartedEpochS).toBeGreaterThan(1.79e9);
  });

  test('llama.cpp b11434', () => {
    expect(brief(read(captured('llama.cpp-b11434')))).toMatchObject({
      engine: 'llama.cpp',
      load: [0, 0, undefined],
      counters: [undefined, 24],
      shares: [
        [396, 'rest', 201],
        [0, 'whole', 0],
      ],
    });
  });
});

describe('pages of nobody we know', () => {
  test.each([
    'http_requests_total 5\nprocess_start_time_seconds 1\n',
    'num_requests_running 5\n',
    'request_queue_time_seconds_count{route="/"} 5\nrequest_queue_time_seconds_sum{route="/"} 5\n',
    'vllm:cache_config_info 1\n',
  ])('%j', (page) => {
    expect(read(page)).toBeUndefined();
  });
});

test('a histogram without its count is no mean', () => {
  expect(read('vllm:num_requests_running 1\nvllm:request_queue_time_seconds_sum 4\n')?.queue).toBeUndefined();
});
