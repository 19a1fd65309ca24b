// Goal: with --otlp-listen the parts of TTFT come from the engine's own spans, of the right exchange and
// only while the report waits for them; whatever came goes on to the collector; without it all is as before.
// Method: a sidecar, an engine of raw bytes that answers to the traceparent it got, and the SDK's exporters.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBench, type Bench } from '../support/bench.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import { exportSpans, makeSpans, PROTOCOLS, VLLM_TIMES, type SpanWish } from '../support/engine-spans.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import type { EngineExchange } from '../support/raw-engine.ts';
import { c, DONE, END, event, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const LISTEN = ['--otlp-listen', '127.0.0.1:0'];
/** What the spans of VLLM_TIMES become. */
const VLLM_EVIDENCE = { source: 'engine-spans', basis: 'exact', queueNs: 40_000_000, prefillNs: 25_000_000 };

/** An answer whose engine takes 100 ms to its first token, and does `after` when it is done. */
function answer(id: string, after: (traceparent: string) => unknown) {
  return async (exchange: EngineExchange): Promise<void> => {
    const [traceparent = ''] = exchange.request.values('traceparent');
    const token = event({ id, choices: [{ index: 0, delta: { content: 'a' } }] });
    await sleep(100);
    await exchange.write(Buffer.concat([Buffer.from(HEAD), c(token)]));
    await exchange.write(Buffer.concat([c(DONE), Buffer.from(END)]));
    await after(traceparent);
  };
}

async function valueOf({ sidecar }: Bench, name: string, label: string): Promise<number> {
  const samples = await sidecar.metrics();
  const found = samples.find((each) => each.name === name && Object.values(each.labels).includes(label));
  return found?.value ?? 0;
}

describe('with no collector', () => {
  const bench = useBench({ args: LISTEN });

  test.each(PROTOCOLS)('spans by %s that come after the answer give queue and prefill', async (protocol) => {
    const send = (traceparent: string) =>
      exportSpans(protocol, bench.sidecar.otlpUrl, makeSpans([{ traceparent, attributes: VLLM_TIMES }]));
    const run = await bench.run({ script: answer(`chatcmpl-${protocol}`, send) });
    const { record, figures } = await bench.recordOf(run);
    expect(record.evidence).toEqual([expect.objectContaining(VLLM_EVIDENCE)]);
    expect(doubtsOfStream(record)).toEqual([]);
    expect(record.trace?.sampled).toBe(true);
    expect(JSON.stringify(figures)).toContain('25000000');
  });

  test('a span counts that comes as late as half the wait', async () => {
    const late = async (traceparent: string): Promise<void> => {
      await sleep(1_000);
      await exportSpans('grpc', bench.sidecar.otlpUrl, makeSpans([{ traceparent, attributes: VLLM_TIMES }]));
    };
    const run = await bench.run({ script: answer('chatcmpl-late', late) });
    expect((await bench.recordOf(run)).record.evidence).toEqual([expect.objectContaining(VLLM_EVIDENCE)]);
  });

  test('two calls in one trace get each their own', async () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const wishes: SpanWish[] = [];
    const note = (id: string, queue: number) => (traceparent: string) => {
      const times = { ...VLLM_TIMES, 'gen_ai.latency.time_in_queue': queue, 'gen_ai.request.id': id };
      wishes.unshift({ traceparent, attributes: times });
      if (wishes.length < 2) return undefined;
      return exportSpans('http/protobuf', bench.sidecar.otlpUrl, makeSpans(wishes));
    };
    const lines = [`traceparent: ${trace}`];
    const runs = await Promise.all([
      bench.run({ script: answer('chatcmpl-one', note('chatcmpl-one', 0.01)), lines }),
      bench.run({ script: answer('chatcmpl-two', note('chatcmpl-two', 0.02)), lines }),
    ]);
    const records = await Promise.all(runs.map((run) => bench.recordOf(run)));
    expect(records.map(({ record }) => record.evidence.map(({ queueNs }) => queueNs))).toEqual([
      [10_000_000],
      [20_000_000],
    ]);
  });

  test('what nobody can be sure of joins nothing, and is counted', async () => {
    const twice = (traceparent: string) => {
      const wish: SpanWish = { traceparent, attributes: VLLM_TIMES };
      return exportSpans('http/protobuf', bench.sidecar.otlpUrl, makeSpans([wish, wish]));
    };
    const before = await valueOf(bench, 'rubato_self_otlp_joined_total', 'ambiguous');
    const run = await bench.run({ script: answer('chatcmpl-twice', twice) });
    expect((await bench.recordOf(run)).record.evidence).toEqual([]);
    expect(await valueOf(bench, 'rubato_self_otlp_joined_total', 'ambiguous')).toBe(before + 1);
  });

  test('a request that its caller does not trace is not traced, and not waited for', async () => {
    let seen = '';
    const look = (traceparent: string): void => {
      seen = traceparent;
    };
    const lines = ['traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'];
    const run = await bench.run({ script: answer('chatcmpl-quiet', look), lines });
    const startMs = performance.now();
    await bench.recordOf(run);
    expect(performance.now() - startMs).toBeLessThan(1_500);
    expect(seen).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  });
});

describe('a short wait', () => {
  const bench = useBench({ args: [...LISTEN, '--evidence-wait', '0.2'] });

  test('a span that comes after it changes nothing any more', async () => {
    let sent: unknown = 'nothing yet';
    const late = async (traceparent: string): Promise<void> => {
      await sleep(1_500);
      sent = await exportSpans(
        'http/json',
        bench.sidecar.otlpUrl,
        makeSpans([{ traceparent, attributes: VLLM_TIMES }]),
      );
    };
    const run = await bench.run({ script: answer('chatcmpl-too-late', late) });
    expect((await bench.recordOf(run)).record.evidence).toEqual([]);
    expect(sent).toBe('nothing yet');
    await poll('the span', () => (sent === undefined ? true : undefined));
    expect(bench.sidecar.records().filter(({ record }) => record.request.model === run.model)).toHaveLength(1);
    const isHint = (log: Record<string, unknown>): boolean => String(log['msg']).includes('OTEL_BSP_SCHEDULE_DELAY');
    await poll('the hint', () => bench.sidecar.logs.find(isHint));
    expect(await valueOf(bench, 'rubato_self_otlp_joined_total', 'late')).toBe(1);
  });
});

describe('with a collector', () => {
  let catcher: OtlpCatcher | undefined;
  beforeAll(async () => {
    catcher = await OtlpCatcher.start();
  });
  afterAll(() => catcher?.stop());
  const bench = useBench(() => ({
    args: LISTEN,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: catcher?.url ?? '',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  }));

  test("the engine's spans and ours meet there in one trace", async () => {
    const send = (traceparent: string) =>
      exportSpans('http/json', bench.sidecar.otlpUrl, makeSpans([{ traceparent, attributes: VLLM_TIMES }]));
    const run = await bench.run({ script: answer('chatcmpl-both', send) });
    const { record } = await bench.recordOf(run);
    expect(record.evidence).toEqual([expect.objectContaining(VLLM_EVIDENCE)]);
    const { traceId = '', clientSpanId } = record.trace ?? {};
    const engine = await poll('the engine span', () => catcher?.spans.find(({ name }) => name === 'llm_request'));
    const client = await catcher!.spanOfKind(traceId, 3);
    expect([engine.traceId, engine.parentSpanId, client.spanId]).toEqual([traceId, clientSpanId, clientSpanId]);
    expect(await valueOf(bench, 'rubato_self_otlp_forwarded_total', 'traces')).toBe(1);
  });
});

describe('the port', () => {
  test('that somebody else has gives the same plain error as any other', async () => {
    const bench = await OtlpCatcher.start();
    const address = bench.url.replace('http://', '');
    try {
      const start = Sidecar.start({ upstream: 'http://127.0.0.1:9', args: ['--otlp-listen', address] });
      await expect(start).rejects.toThrow(
        `${address} is in use by another program. Stop that program, or choose another port with --otlp-listen`,
      );
    } finally {
      await bench.stop();
    }
  });
});
