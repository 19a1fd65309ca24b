// Goal: what leaves rubato holds what it should (P2 long streams, P3 buckets, P4 spans and their times),
// and nothing that comes over the wire can make itself a line, a label, a field or a tag of its own.
// Method: streams through a sidecar with a collector of our own; the truth is the record of each stream.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { OtlpCatcher, plainAttributes, type CaughtSpan } from '../support/otlp-catcher.ts';
import { parsePrometheus, sumOf, type Sample } from '../support/prometheus.ts';
import { actAt, at, c, chatRequest, D, delta, DONE, END, event, FINISH, HEAD, type Step } from '../support/script.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { poll, sleep } from '../support/signal.ts';

let catcher: OtlpCatcher;
beforeAll(async () => {
  catcher = await OtlpCatcher.start();
});
afterAll(() => catcher.stop());

const exporting = () => ({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  },
});

let traceCount = 0;
/** A trace of its own, by which the spans of one exchange are found. */
function newTrace(): { readonly id: string; readonly line: string } {
  traceCount += 1;
  const id = traceCount.toString(16).padStart(32, 'a');
  return { id, line: `traceparent: 00-${id}-b7ad6b7169203331-01` };
}

/** All spans of a trace, some time after its last one has come. */
async function spansOf(traceId: string): Promise<CaughtSpan[]> {
  await catcher.spanOfKind(traceId, 2);
  await sleep(400);
  return catcher.spans.filter((span) => span.traceId === traceId);
}

describe('P2 a stream of 5,000 events', () => {
  const bench = useBench(exporting);

  test('keeps its result on the span, says how many chunks there were and how many are listed', async () => {
    const trace = newTrace();
    const usage = event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5_000 } });
    const script: Step[] = [at(0, HEAD)];
    for (let row = 0; row < 500; row += 1) {
      const pieces = Array.from({ length: 10 }, (_, index) => c(D(`t${row}.${index} `)));
      script.push(at(5 + row, ...pieces));
    }
    script.push(at(520, c(FINISH + usage + DONE), END));
    const run = await bench.run({ script, lines: [trace.line] });
    const { record, figures } = await bench.recordOf(run);
    expect(record.events.kind.length).toBeGreaterThanOrEqual(5_000);
    const spans = await spansOf(trace.id);
    for (const span of spans) {
      expect([span.name, span.droppedAttributesCount ?? 0, span.droppedEventsCount ?? 0]).toEqual([span.name, 0, 0]);
    }
    const server = plainAttributes(spans.find(({ kind }) => kind === 2)?.attributes);
    const client = plainAttributes(spans.find(({ kind }) => kind === 3)?.attributes);
    expect(server['rubato.outcome']).toBe('ok');
    const told = { ...client, ...server };
    expect(told['rubato.ttft_us']).toBe(Math.round((figures.ttftNs ?? NaN) / 1e3));
    expect(told['gen_ai.usage.output_tokens']).toBe(5_000);
    for (const name of [
      'rubato.ttft.network_us',
      'rubato.ttft.rubato_us',
      'rubato.ttft.engine_us',
      'rubato.gap.count',
    ]) {
      expect([name, typeof told[name]]).toEqual([name, 'number']);
    }
    const chunks = plainAttributes(spans.find(({ name }) => name === 'rubato.chunks')?.attributes);
    expect(chunks['rubato.chunk.count']).toBe(record.chunks.receivedAtNs.length);
    expect(chunks['rubato.chunk.listed_count']).toBe(record.chunks.receivedAtNs.length);
    expect((chunks['rubato.chunk.gap_us'] as unknown[]).length).toBe(chunks['rubato.chunk.listed_count']);
    expect(bench.sidecar.logs.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

/** The upper bound of the bucket that holds the median. */
function medianOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const counts = new Map<number, number>();
  const matches = (sample: Sample): boolean =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket` || !matches(sample)) continue;
    const bound = sample.labels['le'] === '+Inf' ? Infinity : Number(sample.labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + sample.value);
  }
  const bounds = [...counts.keys()].sort((one, other) => one - other);
  const total = counts.get(Infinity) ?? 0;
  const index = bounds.findIndex((bound) => (counts.get(bound) ?? 0) >= total / 2);
  return { lower: bounds[index - 1] ?? 0, upper: bounds[index] ?? NaN, top: bounds.at(-2) ?? NaN, total };
}

describe('P3 100 requests with their first token after 0.4 s and gaps of 20 ms', () => {
  const bench = useBench();

  test('have a median within 1.5 times of the truth in the buckets, in seconds', async () => {
    const steps = Array.from({ length: 6 }, (_, index) => at(400 + 20 * index, c(D('a'))));
    const script: Step[] = [at(0, HEAD), ...steps, at(520, c(FINISH + DONE), END)];
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 25 }, () => bench.run({ script })));
    }
    const entries = await bench.sidecar.untilRecords(100);
    const truth = (values: readonly number[]): number =>
      [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
    const samples = await bench.sidecar.metrics();
    const cases = [
      ['rubato_ttft_seconds', {}, truth(entries.map(({ figures }) => figures.ttftNs ?? NaN)) / 1e9, 300],
      [
        'rubato_gap_seconds',
        { point: 'received' },
        truth(entries.map(({ figures }) => figures.gapsReceived.p50Ns ?? NaN)) / 1e9,
        60,
      ],
    ] as const;
    for (const [name, labels, seconds, topSeconds] of cases) {
      const { lower, upper, top, total } = medianOf(samples, name, labels);
      expect([name, total >= 100, top >= topSeconds]).toEqual([name, true, true]);
      expect([name, upper <= seconds * 1.5, lower >= seconds / 1.5]).toEqual([name, true, true]);
    }
    expect((await bench.sidecar.admin('/metrics')).text).toContain('# TYPE rubato_ttft_seconds histogram');
  });
});

describe('P4 the spans of a stream', () => {
  const bench = useBench(exporting);
  const lengthNs = (span: CaughtSpan): number => Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano));
  /** Times on spans have a resolution of their own, and its rounding. */
  const ROUNDING_NS = 2_000;
  const steps = Array.from({ length: 30 }, (_, index) => at(index * 20, c(D('a'))));

  const cases: readonly [string, Step[], 'abort' | undefined, string, number][] = [
    ['that ends as it should', [at(0, HEAD), ...steps, at(600, c(FINISH + DONE), END)], undefined, 'ok', 600],
    ['that its client leaves', [at(0, HEAD), ...steps], 'abort', 'client_abort', 300],
    [
      'that the engine resets',
      [at(0, HEAD), ...steps.slice(0, 15), actAt(300, 'rst')],
      undefined,
      'upstream_aborted',
      300,
    ],
  ];

  test.each(cases)(
    '%s: one server span from its first byte to its last, its children inside',
    async (_name, script, act, outcome, leastMs) => {
      const trace = newTrace();
      const before = sumOf(await bench.sidecar.metrics(), 'rubato_exchange_duration_seconds_sum', { outcome }) ?? 0;
      const plan = bench.engine.plan(script);
      const client = await bench.client();
      client.request(chatRequest({ lines: [trace.line, `${PLAN_FIELD}: ${plan.id}`] }));
      if (act === 'abort') {
        await sleep(leastMs + 50);
        client.rst();
      }
      await client.response().catch(() => undefined);
      const { record, figures } = await bench.sidecar.record(trace.id, ({ trace: ids }) => ids?.traceId === trace.id);
      expect(record.end.outcome ?? outcome).toBe(outcome);
      const spans = await spansOf(trace.id);
      const servers = spans.filter(({ kind }) => kind === 2);
      expect(servers).toHaveLength(1);
      const [server] = servers as [CaughtSpan];
      expect(plainAttributes(server.attributes)['rubato.outcome']).toBe(outcome);
      expect(lengthNs(server)).toBeGreaterThanOrEqual(leastMs * 1e6);
      expect(Math.abs(lengthNs(server) - figures.durationNs)).toBeLessThanOrEqual(ROUNDING_NS);
      const parents = new Map(spans.map((span) => [span.spanId, span]));
      for (const span of spans) {
        const parent = parents.get(span.parentSpanId ?? '');
        if (span !== server) expect([span.name, parent !== undefined]).toEqual([span.name, true]);
        expect(BigInt(span.startTimeUnixNano) >= BigInt(server.startTimeUnixNano)).toBe(true);
        expect(BigInt(span.endTimeUnixNano) <= BigInt(server.endTimeUnixNano)).toBe(true);
      }
      const after = sumOf(await bench.sidecar.metrics(), 'rubato_exchange_duration_seconds_sum', { outcome }) ?? 0;
      expect(after - before).toBeCloseTo(figures.durationNs / 1e9, 6);
    },
  );
});

describe('what comes over the wire and would like to be more than a value', () => {
  const bench = useBench(exporting);
  const EVIL = 'm"} 1\r\nevil_total{a="b"} 7\n# HELP evil x\u001b[2J\u2028<script>alert(1)</script>\\';

  /** Printable, so that it may be a label. */
  const SLY = 'm"} 1 evil_total{a="b\\';

  test('is a value: one line in the log and the records, one label, one attribute, text on the page', async () => {
    const trace = newTrace();
    const more = { id: EVIL, model: EVIL, system_fingerprint: EVIL };
    const usage = { prompt_tokens: 3, completion_tokens: 1, [EVIL]: 5, details: { [EVIL]: 7 } };
    const good: Step[] = [
      at(
        0,
        HEAD.replace(
          '\r\n\r\n',
          `\r\nx-request-id: "}\t<script>\r\nserver: vllm"}<b>\r\nserver-timing: "};dur=5, a"};dur=1\r\n\r\n`,
        ),
      ),
      at(5, c(delta({ content: 'a' }, more))),
      at(
        10,
        c(event({ choices: [{ index: 0, delta: {}, finish_reason: EVIL }], ...more })),
        c(event({ choices: [], usage, ...more }) + DONE),
        END,
      ),
    ];
    const bad: Step[] = [at(0, HEAD), at(5, c(event({ error: { type: EVIL, code: EVIL, message: EVIL } })), END)];
    const lines = [
      trace.line,
      'tracestate: evil="}<script>',
      'x-traffic-class: "} 1 evil{<script>',
      'user-agent: "}<script>',
      'x-request-id: "}<script>',
    ];
    const body = JSON.stringify({ model: EVIL, stream: true, service_tier: EVIL });
    for (const script of [good, bad]) {
      await bench.run({ script, lines, body, target: "/v1/chat/completions?%22}%3Cscript%3E;evil='1'" });
    }
    const sly: Step[] = [at(0, HEAD), at(5, c(D('a')), c(FINISH + DONE), END)];
    // A name is a label from its first success on.
    for (let round = 0; round < 2; round += 1) {
      await bench.run({ script: sly, body: JSON.stringify({ model: SLY, stream: true }) });
      await bench.sidecar.untilRecords(3 + round);
    }
    const entries = await bench.sidecar.untilRecords(4);
    expect(entries).toHaveLength(4);
    expect(readFileSync(bench.sidecar.recordFile, 'utf8').split('\n')).toHaveLength(5);

    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      const page = await fetch(`http://127.0.0.1:${bench.sidecar.adminPort}/metrics`, { headers: { accept } });
      const text = await page.text();
      expect(text).not.toMatch(/[\r\u2028]|^(# HELP )?evil/m);
      const names = new Set(parsePrometheus(text.replaceAll(/ # \{.*$/gm, '')).map(({ name }) => name.split('_')[0]));
      expect([...names].filter((name) => !['rubato', 'gen', 'target', 'process'].includes(name ?? ''))).toEqual([]);
    }
    const samples = await bench.sidecar.metrics();
    const models = new Set(samples.map(({ labels }) => labels['model'] ?? ''));
    expect([...models].sort()).toEqual(['', SLY, 'other']);

    for (const path of ['/api/streams', '/api/summary']) {
      const { status, text } = await bench.sidecar.admin(path);
      expect([path, status]).toEqual([path, 200]);
      expect(JSON.parse(text)).toBeTypeOf('object');
    }

    const spans = await spansOf(trace.id);
    const names = spans.flatMap(({ attributes = [] }) => attributes.map(({ key }) => key));
    expect(names.filter((name) => !/^[\w.[\]-]+$/.test(name))).toEqual([]);
    await poll('both exchanges', () =>
      catcher.spans.filter(({ traceId }) => traceId === trace.id).length >= 4 ? true : undefined,
    );
    expect(bench.sidecar.noise).toEqual([]);
  });
});
