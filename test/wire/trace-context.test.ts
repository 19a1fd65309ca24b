// Goal: client, sidecar and engine end up in one trace, and only when tracing is switched on (P5).
// Method: raw fields in, raw fields at the engine, spans at a collector of our own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBench, type Bench } from '../support/bench.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { at, c, D, DONE, END, HEAD, type Step } from '../support/script.ts';
import type { WireMessage } from '../support/wire-parser.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const script: Step[] = [at(0, HEAD, c(D('a'))), at(20, c(DONE), END)];

async function upstreamSees(bench: Bench, lines: readonly string[]): Promise<WireMessage> {
  const { exchange, response } = await bench.run({ script, lines });
  expect(response.status).toBe(200);
  return exchange.request;
}

describe('without an OTLP endpoint', () => {
  const bench = useBench();

  test.each([
    ['a valid one', [`traceparent: 00-${TRACE_ID}-${PARENT_ID}-01`, 'tracestate: v=1', 'baggage: k=v']],
    ['none', []],
    ['a malformed one', ['traceparent: 00-xyz', 'tracestate: v=1']],
  ])('P5 trace context passes untouched: %s', async (_, lines) => {
    const request = await upstreamSees(bench, lines);
    const seen = request.head?.lines.filter((line) => /^(traceparent|tracestate|baggage):/.test(line));
    expect(seen).toEqual(lines);
  });
});

describe('with an OTLP endpoint', () => {
  let catcher: OtlpCatcher | undefined;
  beforeAll(async () => {
    catcher = await OtlpCatcher.start();
  });
  afterAll(() => catcher?.stop());
  const bench = useBench(() => ({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: catcher?.url ?? '',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  }));

  function parts(request: WireMessage): string[] {
    const values = request.values('traceparent');
    expect(values).toHaveLength(1);
    expect(values[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
    return (values[0] ?? '').split('-');
  }

  test("P5 the sidecar stands between the caller and the engine in the caller's trace", async () => {
    const request = await upstreamSees(bench, [
      `traceparent: 00-${TRACE_ID}-${PARENT_ID}-01`,
      'tracestate: v=1',
      'baggage: k=v',
    ]);
    const [, traceId, spanId, flags] = parts(request);
    expect(traceId).toBe(TRACE_ID);
    expect(spanId).not.toBe(PARENT_ID);
    expect(flags).toBe('01');
    expect(request.values('tracestate')).toEqual(['v=1']);
    expect(request.values('baggage')).toEqual(['k=v']);
    const [server, client] = await Promise.all([catcher?.spanOfKind(TRACE_ID, 2), catcher?.spanOfKind(TRACE_ID, 3)]);
    expect(server?.parentSpanId).toBe(PARENT_ID);
    expect(client?.spanId).toBe(spanId);
    expect(client?.parentSpanId).toBe(server?.spanId);
  });

  test('P5 a caller without a trace begins one', async () => {
    const [, traceId, spanId, flags] = parts(await upstreamSees(bench, []));
    expect(Number.parseInt(flags ?? '', 16) & 1).toBe(1);
    const server = await catcher?.spanOfKind(traceId ?? '', 2);
    expect(server?.parentSpanId ?? '').toBe('');
    expect((await catcher?.spanOfKind(traceId ?? '', 3))?.spanId).toBe(spanId);
  });

  test.each([
    ['malformed', '00-xyz'],
    ['an id of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
    ['version ff', `ff-${TRACE_ID}-${PARENT_ID}-01`],
    ['upper case', `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
    ['too long for version 00', `00-${TRACE_ID}-${PARENT_ID}-01-x`],
    ['empty', ''],
  ])('P5 a bad traceparent is treated as none and harms nothing: %s', async (_, value) => {
    const [, traceId] = parts(await upstreamSees(bench, [`traceparent: ${value}`, 'tracestate: v=1']));
    expect(traceId).not.toBe(TRACE_ID);
  });

  test('P5 a caller that does not sample is not sampled, and the engine is told so', async () => {
    const other = TRACE_ID.replace('0af7', 'beef');
    const [, traceId, , flags] = parts(await upstreamSees(bench, [`traceparent: 00-${other}-${PARENT_ID}-00`]));
    expect(traceId).toBe(other);
    expect(Number.parseInt(flags ?? '', 16) & 1).toBe(0);
  });

  test('P5 a later version is continued as version 00', async () => {
    const other = TRACE_ID.replace('0af7', 'cafe');
    const [version, traceId] = parts(await upstreamSees(bench, [`traceparent: 01-${other}-${PARENT_ID}-01-more`]));
    expect([version, traceId]).toEqual(['00', other]);
  });

  test('P5 fields keep their place and case, the new value stands where the old one stood', async () => {
    const request = await upstreamSees(bench, ['X-A: 1', `TraceParent: 00-${TRACE_ID}-${PARENT_ID}-01`, 'X-B: 2']);
    const names = request.head?.lines
      .map((line) => line.split(':')[0] ?? '')
      .filter((name) => /^(x-[ab]|traceparent)$/i.test(name));
    expect(names).toEqual(['X-A', 'TraceParent', 'X-B']);
  });
});
