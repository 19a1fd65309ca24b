// Goal: each engine's spans give the queue and prefill that they state, in their own units, and nothing
// when they do not say or say it of more than one request. Method: spans as the engines write them.
import { describe, expect, test } from 'vitest';
import type { EngineSpan } from '../../../src/evidence/engine-span.ts';
import { isWorthKeeping, readEngineSpans, requestIdOf } from '../../../src/evidence/engine-spans.ts';
import type { EvidenceSubject } from '../../../src/evidence/source.ts';

const MS = 1_000_000;
const SUBJECT: EvidenceSubject = {
  engine: undefined,
  dialect: 'openai-chat',
  streamed: true,
  choiceCount: 1,
  statements: {},
  firstTokenAtNs: 100 * MS,
  lastTokenAtNs: 300 * MS,
};

let spanCount = 0;

function span(parts: Partial<EngineSpan> & { fromMs?: number; toMs?: number }): EngineSpan {
  spanCount += 1;
  const { fromMs = 0, toMs = fromMs, ...rest } = parts;
  return {
    traceId: 'a'.repeat(32),
    spanId: spanCount.toString(16).padStart(16, '0'),
    name: 'llm_request',
    startEpochNs: 1_800_000_000_000_000_000n + BigInt(fromMs * MS),
    endEpochNs: 1_800_000_000_000_000_000n + BigInt(toMs * MS),
    attributes: {},
    ...rest,
  };
}

/** Queue and prefill in ms, or the verdict when there is no evidence. */
function read(spans: readonly EngineSpan[], subject = SUBJECT, responseId?: string): unknown {
  const reading = readEngineSpans(spans, subject, responseId);
  if (reading.verdict !== 'told') return reading.verdict;
  const { source, basis, definition = '', queueNs, prefillNs } = reading.evidence;
  expect([source, basis]).toEqual(['engine-spans', 'exact']);
  expect(definition).not.toBe('');
  return [queueNs, prefillNs].map((ns) => (ns === undefined ? undefined : ns / MS));
}

describe('vLLM', () => {
  const times = {
    'gen_ai.latency.time_in_queue': 0.0125,
    'gen_ai.latency.time_in_model_prefill': 0.025,
    'gen_ai.latency.time_to_first_token': 0.05,
  };

  test('states both lengths in seconds', () => {
    expect(read([span({ attributes: times })])).toEqual([12.5, 25]);
  });

  test('stated queue and time to first token only, as V0: prefill is the rest', () => {
    const { 'gen_ai.latency.time_in_model_prefill': _, ...older } = times;
    expect(read([span({ attributes: older })])).toEqual([12.5, 37.5]);
  });

  test('a queue of nothing is a queue of 0', () => {
    expect(read([span({ attributes: { ...times, 'gen_ai.latency.time_in_queue': 0 } })])).toEqual([0, 25]);
  });

  test.each([-1, Number.NaN, Infinity, 1e9, '0.1', true])('a queue of %s is no length', (queue) => {
    const attributes = { ...times, 'gen_ai.latency.time_in_queue': queue };
    expect(read([span({ attributes })])).toBe('silent');
  });

  test('spans of no request beside it change nothing', () => {
    expect(read([span({ name: 'EngineCore.step' }), span({ attributes: times }), span({})])).toEqual([12.5, 25]);
  });

  test("of two requests only the one with the answer's id counts", () => {
    const named = (id: string, queue: number) =>
      span({ attributes: { ...times, 'gen_ai.latency.time_in_queue': queue, 'gen_ai.request.id': id } });
    const both = [named('chatcmpl-a', 0.001), named('chatcmpl-b', 0.002)];
    expect(read(both)).toBe('ambiguous');
    expect(read(both, SUBJECT, 'chatcmpl-c')).toBe('ambiguous');
    expect(read(both, SUBJECT, 'chatcmpl-b')).toEqual([2, 25]);
    expect(read([both[0]!, both[0]!], SUBJECT, 'chatcmpl-a')).toBe('ambiguous');
  });

  test('several choices have no times of one request', () => {
    expect(read([span({ attributes: times })], { ...SUBJECT, choiceCount: 2 })).toBe('silent');
  });
});

describe('TensorRT-LLM', () => {
  const read3 = (queue: number, firstToken: number, transfer: number) =>
    read([
      span({
        attributes: {
          'gen_ai.latency.time_in_queue': queue,
          'gen_ai.latency.time_to_first_token': firstToken,
          'gen_ai.latency.kv_cache_transfer_time': transfer,
        },
      }),
    ]);

  test('prefill is the time to the first token without the queue', () => {
    expect(read3(0.01, 0.035, -1)).toEqual([10, 25]);
  });

  test('-1 is missing', () => {
    expect(read3(0.01, -1, -1)).toEqual([10, undefined]);
    expect(read3(-1, 0.035, -1)).toBe('silent');
  });

  test('a cache that came from elsewhere was not prefilled here', () => {
    expect(read3(0.01, 0.035, 0.02)).toEqual([10, undefined]);
  });

  test('a first token before the end of the queue is no prefill', () => {
    expect(read3(0.05, 0.035, -1)).toEqual([50, undefined]);
  });
});

describe('SGLang', () => {
  const root = span({
    name: ' Req 12345678',
    toMs: 900,
    attributes: {
      rid: '12345678abcd',
      'gen_ai.request.id': '12345678abcd',
      'gen_ai.latency.time_in_queue': 0.5,
      'gen_ai.latency.time_in_model_prefill': 0.777,
      'gen_ai.latency.time_to_first_token': 0.8,
    },
  });
  const thread = span({ name: 'scheduler [TP 0]', parentSpanId: root.spanId, toMs: 900 });
  const stage = (name: string, fromMs: number, toMs: number, parent = thread) =>
    span({ name, fromMs, toMs, parentSpanId: parent.spanId });

  test('the stages of the scheduler, never the attributes of the root', () => {
    const stages = [
      stage('prefill_waiting', 10, 40),
      stage('prefill_forward', 40, 65),
      stage('decode_forward', 65, 900),
    ];
    expect(read([root, thread, ...stages])).toEqual([30, 25]);
    expect(read([root, thread])).toBe('silent');
  });

  test('chunks inside of the prefill, and chunks beside its last piece', () => {
    const forward = stage('prefill_forward', 40, 100);
    const inside = [stage('chunked_prefill', 40, 70, forward), stage('chunked_prefill', 70, 100, forward)];
    expect(read([root, thread, stage('prefill_waiting', 10, 40), forward, ...inside])).toEqual([30, 60]);
    const beside = [
      stage('chunked_prefill', 40, 70),
      stage('chunked_prefill', 70, 90),
      stage('prefill_forward', 90, 100),
    ];
    expect(read([root, thread, stage('prefill_waiting', 10, 40), ...beside])).toEqual([30, 60]);
  });

  test('a request that was retracted has its first prefill', () => {
    const again = [stage('chunked_prefill', 300, 350), stage('prefill_forward', 350, 400)];
    const first = [stage('prefill_waiting', 10, 40), stage('prefill_forward', 40, 65)];
    expect(read([root, thread, ...again, ...first])).toEqual([30, 25]);
  });

  test('ranks that all tell the same are one request', () => {
    const other = span({ name: 'scheduler [TP 1]', parentSpanId: root.spanId, toMs: 900 });
    const lanes = [
      stage('prefill_waiting', 10, 40),
      stage('prefill_forward', 40, 65),
      stage('prefill_waiting', 11, 41, other),
      stage('prefill_forward', 41, 67, other),
    ];
    expect(read([root, thread, other, ...lanes])).toEqual([30, 25]);
  });

  test('a prefill server waits for its partner first', () => {
    const stages = [
      stage('prefill_bootstrap', 5, 10),
      stage('prefill_waiting', 10, 40),
      stage('prefill_forward', 40, 65),
    ];
    expect(read([root, thread, ...stages])).toEqual([35, 25]);
    expect(read([root, thread, stage('prefill_bootstrap', 5, 10)])).toBe('silent');
  });

  test('as long as only the waiting has come, only the queue is known', () => {
    expect(read([root, thread, stage('prefill_waiting', 10, 40)])).toEqual([30, undefined]);
    expect(read([root, thread, stage('prefill_forward', 40, 65)])).toEqual([undefined, 25]);
  });

  test('two requests are told apart by the id of their roots', () => {
    const second = span({ name: ' Req 9', attributes: { rid: '9' } });
    const lane = span({ name: 'scheduler', parentSpanId: second.spanId });
    const spans = [
      root,
      thread,
      stage('prefill_waiting', 10, 40),
      stage('prefill_forward', 40, 65),
      second,
      lane,
      stage('prefill_waiting', 10, 50, lane),
      stage('prefill_forward', 50, 51, lane),
    ];
    expect(read(spans)).toBe('ambiguous');
    expect(read(spans, SUBJECT, '9')).toEqual([40, 1]);
  });

  test('spans that are their own ancestors end the search all the same', () => {
    const ring = [span({ name: 'prefill_forward', toMs: 5 }), span({})];
    const [forward, other] = [
      { ...ring[0]!, parentSpanId: ring[1]!.spanId },
      { ...ring[1]!, parentSpanId: ring[0]!.spanId },
    ];
    expect(read([forward, other])).toEqual([undefined, 5]);
  });

  test('the spans of single steps are not worth keeping', () => {
    expect(['decode_loop', 'prefill_forward', 'anything'].map((name) => isWorthKeeping({ name }))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('TGI', () => {
  const tgi = (queue: unknown, inference: unknown, subject = SUBJECT) =>
    read(
      [span({ name: 'generate_stream', attributes: { queue_time: queue, inference_time: inference } as never })],
      subject,
    );

  test('prefill is inference without what was seen from the first to the last token', () => {
    expect(tgi('12.3ms', '225.5ms')).toEqual([12.3, 25.5]);
  });

  test.each([
    ['450ns', 0.00045],
    ['17.25µs', 0.01725],
    ['17.25μs', 0.01725],
    ['17.25us', 0.01725],
    ['1.5s', 1500],
    ['"2ms"', 2],
    ['0ns', 0],
  ])('reads %s', (text, ms) => {
    expect(tgi(text, '1s')).toEqual([ms, 800]);
  });

  test.each(['12.3', 'ms', '-1ms', '1e3ms', '1m', '', 12.3])('%s is no duration', (queue) => {
    expect(tgi(queue, '1s')).toBe('silent');
  });

  test('without tokens, or with less inference than was seen, there is no prefill', () => {
    const { firstTokenAtNs: _, ...blind } = SUBJECT;
    expect(tgi('1ms', '225ms', blind)).toEqual([1, undefined]);
    expect(tgi('1ms', '199ms')).toEqual([1, undefined]);
    expect(tgi('1ms', undefined)).toEqual([1, undefined]);
  });

  test('there is no prefill either when a slow client held up what was seen', () => {
    expect(tgi('12.3ms', '225.5ms', { ...SUBJECT, heldUp: true })).toEqual([12.3, undefined]);
  });
});

test("Triton's spans say nothing of the batcher's queue", () => {
  const spans = [span({ name: 'InferRequest' }), span({ name: 'llama' }), span({ name: 'compute' })];
  expect(read(spans)).toBe('silent');
});

test('no spans, no word', () => {
  expect(read([])).toBe('silent');
});

test('the id of a request is text or a number', () => {
  const id = (attributes: EngineSpan['attributes']) => requestIdOf(span({ attributes }));
  expect([id({ 'gen_ai.request.id': 17 }), id({ rid: 'r' }), id({ rid: '' }), id({ rid: true })]).toEqual([
    '17',
    'r',
    undefined,
    undefined,
  ]);
});
