// Goal: a head that came only with the text accuses a hop where the engine is known to send it early, and only there;
// and what may have made both late without a hop accuses nobody. Method: deliveries written by hand in ms, each with
// its near misses.
import { describe, expect, test } from 'vitest';
import { judgeDelivery } from '../../../../src/judge/delivery/rules.ts';
import type { DeliveryVerdict } from '../../../../src/judge/delivery/verdict.ts';
import type { EngineFacts } from '../../../../src/record/engines.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { recordOfDelivery } from '../../../support/delivery/record.ts';
import type { Arrival } from '../../../support/delivery/ways.ts';

const VLLM: EngineFacts = { name: 'vllm', by: 'body', version: '0.32.0' };
const ms = (milliseconds: number): number => milliseconds * 1e6;

const event = (delta: string): string => `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n`;
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';

interface Spec {
  readonly engine?: EngineFacts;
  readonly headMs?: number;
  readonly textMs?: number;
  /** Before each token but the first, in turn. */
  readonly gapsMs?: readonly number[];
  readonly firstCount?: number;
  readonly count?: number;
  /** The finish and the end mark, after the text before. */
  readonly endGapsMs?: readonly [number, number];
  readonly roleMs?: number;
  readonly connection?: StreamRecord['connection'];
  readonly change?: (record: StreamRecord) => StreamRecord;
}

const NEAR = { reused: false, tcpNs: 500_000 };

function recordOf(spec: Spec): StreamRecord {
  const { headMs = 400, textMs = 400.3, gapsMs = [20, 27, 23, 31], count = 60, firstCount = 1 } = spec;
  const { endGapsMs = [0, 0], connection = NEAR, engine } = spec;
  let atMs = textMs;
  const token = event('{"content":" a"}');
  const arrivals: Arrival[] = [{ atMs, bytes: Buffer.from(token.repeat(firstCount)) }];
  if (spec.roleMs !== undefined) {
    arrivals.unshift({ atMs: spec.roleMs, bytes: Buffer.from(event('{"role":"assistant","content":""}')) });
  }
  for (let index = 0; index < count; index += 1) {
    atMs += gapsMs[index % gapsMs.length] ?? 20;
    arrivals.push({ atMs, bytes: Buffer.from(token) });
  }
  const finishMs = atMs + endGapsMs[0];
  arrivals.push({ atMs: finishMs, bytes: Buffer.from(FINISH) });
  arrivals.push({ atMs: finishMs + endGapsMs[1], bytes: Buffer.from(DONE) });
  const record = recordOfDelivery({ arrivals, headAtMs: headMs });
  const known = { ...record, connection, ...(engine === undefined ? {} : { engine }) };
  return spec.change?.(known) ?? known;
}

const said = (spec: Spec): DeliveryVerdict | undefined => judgeDelivery(recordOf(spec));

describe('the head of an engine that sends it early', () => {
  test('that came only with the first token was withheld', () => {
    expect(said({ engine: VLLM })).toMatchObject({
      word: 'holds',
      way: 'head',
      signs: ['head_only_with_text', 'engine_sends_it_early'],
      numbers: { headWaitMs: 399 },
      confidence: 0.9,
    });
    expect(said({ engine: VLLM, headMs: 1200, textMs: 1200 })).toMatchObject({ word: 'holds', confidence: 0.95 });
  });

  test.each<[string, EngineFacts]>([
    ['TGI that told its version', { name: 'tgi', by: 'body', version: '3.3.4' }],
    ['an engine that was configured', { name: 'lmdeploy', by: 'configured' }],
    ['an engine known by its metrics', { name: 'vllm', by: 'metrics' }],
  ])('of %s as well', (_name, engine) => {
    expect(said({ engine })).toMatchObject({ word: 'holds', way: 'head' });
  });

  test('a role that came with it, before the text, is the engine’s first output', () => {
    expect(said({ engine: VLLM, headMs: 400, roleMs: 400.2, textMs: 425 })).toMatchObject({ word: 'holds' });
  });

  test('text that was kept with it needs a longer wait, for networks stand still as well', () => {
    expect(said({ engine: VLLM, firstCount: 12 })).toMatchObject({ word: 'unsure', signs: ['start_together'] });
    const longer = { engine: VLLM, firstCount: 12, headMs: 700, textMs: 700 };
    expect(said(longer)).toMatchObject({ word: 'holds', way: 'head' });
  });

  test('that came by a kept connection is judged by the quickest handshake before it', () => {
    const connection = { reused: true, handshakeLeastNs: 600_000 };
    expect(said({ engine: VLLM, connection })).toMatchObject({ word: 'holds', way: 'head' });
    expect(said({ engine: VLLM, connection: { reused: true, handshakeLeastNs: ms(40) } })?.word).toBe('unsure');
  });

  test('that came on its own passes', () => {
    expect(said({ engine: VLLM, headMs: 5 })).toMatchObject({ word: 'passes', signs: ['one_by_one'] });
    expect(said({ engine: VLLM, headMs: 390 })).toMatchObject({ word: 'passes', signs: ['one_by_one'] });
  });
});

describe('a head that came with the text accuses nobody', () => {
  const notAccused: readonly (readonly [string, Spec])[] = [
    ['of an engine that nobody knows', {}],
    ['of one that keeps it until there is text', { engine: { name: 'ollama', by: 'body' } }],
    ['of SGLang, whose other routes are early', { engine: { name: 'sglang', by: 'body' } }],
    ['of one whose name is a shape that others imitate', { engine: { name: 'tgi', by: 'body' } }],
    ['of a service of somebody else', { engine: { name: 'openrouter', by: 'body' } }],
    ['of one that can be told to look first', { engine: { name: 'dynamo', by: 'configured' } }],
    ['after a short wait', { engine: VLLM, headMs: 240, textMs: 240.2 }],
    ['from far away, as one lost packet makes it', { engine: VLLM, connection: { reused: false, tcpNs: ms(60) } }],
    ['by a way that nobody measured', { engine: VLLM, connection: { reused: true } }],
    ['after a load balancer that started late', { engine: VLLM, headMs: 3000, textMs: 3008 }],
    ['when the request was sent again', { engine: VLLM, connection: { ...NEAR, retried: true } }],
    ['with an answer that was there already', { engine: VLLM, gapsMs: [0.05] }],
    [
      'with an answer out of a cache',
      {
        engine: VLLM,
        change: (record) => ({ ...record, response: { ...record.response, hopSigns: { cached: true } } }),
      },
    ],
    [
      'when our own stamp may be late',
      {
        engine: VLLM,
        change: ({ chunks, ...record }) => ({
          ...record,
          chunks: { ...chunks, errorBoundNs: chunks.errorBoundNs.with(0, ms(8)) },
        }),
      },
    ],
    [
      'when our own thread did not run',
      {
        engine: VLLM,
        change: (record) => ({
          ...record,
          pauses: [{ startAtNs: ms(380), endAtNs: ms(400), cause: 'cpu' }],
        }),
      },
    ],
  ];

  test.each(notAccused)('%s', (_name, spec) => {
    expect(said(spec)?.word).not.toBe('holds');
  });

  test('but does not pass for certain where something is known that points to a hop', () => {
    expect(said({ engine: VLLM, headMs: 240, textMs: 240.2 })).toMatchObject({ word: 'unsure' });
    const product = (record: StreamRecord): StreamRecord => ({
      ...record,
      response: { ...record.response, hopSigns: { products: ['nginx'] } },
    });
    expect(said({ change: product })).toMatchObject({ word: 'unsure', confidence: 0 });
    expect(said({})).toMatchObject({
      word: 'passes',
      signs: ['one_by_one', 'head_only_with_text'],
      confidence: 0.8,
    });
  });
});

describe('a beat that is too even', () => {
  const EVEN = { gapsMs: [25, 25.3, 24.8, 25.1] };

  test('passes while nothing else points to a hop', () => {
    expect(said({ ...EVEN, headMs: 5, endGapsMs: [25, 0] })).toMatchObject({ word: 'passes', signs: ['one_by_one'] });
    const ollama: EngineFacts = { name: 'ollama', by: 'body' };
    expect(said({ ...EVEN, engine: ollama })).toMatchObject({ word: 'passes' });
  });

  test('may be a hop’s where the head waited for it', () => {
    expect(said(EVEN)).toMatchObject({ word: 'unsure', signs: ['one_by_one', 'head_only_with_text', 'even_beat'] });
  });

  test('may be a hop’s where even the end of the answer keeps to it', () => {
    expect(said({ ...EVEN, headMs: 5, endGapsMs: [25, 25.2] })).toMatchObject({
      word: 'unsure',
      signs: ['one_by_one', 'even_beat'],
    });
  });

  test('is none where there are few, or where they come too fast to tell', () => {
    expect(said({ ...EVEN, count: 19 })).toMatchObject({ word: 'passes' });
    expect(said({ gapsMs: [4] })).toMatchObject({ word: 'passes' });
  });
});
