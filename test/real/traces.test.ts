// Goal: in a trace back end that other people wrote, one exchange is one trace, gateway → rubato → engine, with the
// parents, kinds, attributes and events that the README names; and a stalled exchange is found by what it suffered.
// Method: Envoy begins the trace, rubato stands between it and an engine of ours that sends spans as engines do;
// all send to Jaeger, which is asked by its API. What it stored is held against the record of the exchange.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SPAN_CHUNKS_MAX_COUNT } from '../../src/base/limits.ts';
import { plainAttributes } from '../support/otlp-catcher.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { c, CHAT_TARGET, D, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { startJaeger, type Jaeger } from './jaeger/jaeger.ts';
import { orMissing, say } from './judge/missing.ts';
import { chunks, tokens, TOKENS_COUNT } from './traces/answers.ts';
import { CLIENT, expectChunks, expectOneTrace, only, SERVER, SPANS_COUNT } from './traces/checks.ts';
import { ask, startPath, type Asked, type TracedPath } from './traces/path.ts';
import { tracesWith, traceOf, type StoredSpan } from './traces/query.ts';

const STALL_MS = 800;
const NOT_HAD = 'Jaeger or Envoy cannot be had here';

let jaeger: Jaeger | undefined;
let path: TracedPath | undefined;

beforeAll(async () => {
  jaeger = await orMissing('Jaeger', startJaeger);
  if (jaeger !== undefined) path = await startPath(jaeger.otlpPort, ['smooth', 'many']);
});

afterAll(async () => {
  await path?.stop();
  await jaeger?.stop();
});

describe('an exchange that came by way of a gateway', () => {
  let asked: Asked | undefined;
  let spans: StoredSpan[] = [];

  beforeAll(async () => {
    if (jaeger === undefined || path?.gateway === undefined) return;
    asked = await ask(path, 'smooth', tokens(20));
    spans = await traceOf(jaeger.url, asked.traceId, { spanCount: SPANS_COUNT });
    say(`one trace in Jaeger: ${spans.map(({ service, name }) => `${service}: ${name}`).join(', ')}`);
  });

  test('is one trace: gateway → SERVER → CLIENT → engine, and the phases and chunks below the CLIENT', ({ skip }) => {
    if (asked === undefined) return skip(NOT_HAD);
    expectOneTrace(spans, asked);
  });

  test('says in Jaeger what its record says', ({ skip }) => {
    if (asked === undefined) return skip(NOT_HAD);
    const { record, figures } = asked.entry;
    const us = (lengthNs: number | undefined): number => Math.round((lengthNs ?? NaN) / 1e3);
    const server = only(spans, 'rubato', SERVER);
    expect(plainAttributes(server.attributes)).toMatchObject({
      'rubato.record.id': record.id,
      'rubato.outcome': 'ok',
      'rubato.ttft_us': us(figures.ttftNs),
      'rubato.gap.max_us': us(figures.gapsReceived.maxNs),
      'rubato.ttft.basis': 'exact',
      'rubato.ttft.queue_us': 40_000,
      'rubato.ttft.prefill_us': 25_000,
      'rubato.evidence.source': ['engine-spans'],
    });
    expect(plainAttributes(only(spans, 'rubato', CLIENT).attributes)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'smooth',
      'gen_ai.usage.output_tokens': TOKENS_COUNT,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    const stalls = figures.stalls.map(() => 'rubato.stall');
    expect((server.events ?? []).map(({ name }) => name)).toEqual(['rubato.first_token', ...stalls]);
    expectChunks(spans, record, record.chunks.bytes.length);
  });

  test('has no span of ours whose clock Jaeger would doubt', async ({ skip }) => {
    if (jaeger === undefined || asked === undefined) return skip(NOT_HAD);
    const looked = await traceOf(jaeger.url, asked.traceId, { spanCount: SPANS_COUNT, form: 'adjusted' });
    const doubted = looked.filter(({ attributes = [] }) => attributes.some(({ key }) => key === '@jaeger@warnings'));
    // The SERVER span and the engine's are held against clocks of other processes.
    const ofOneClock = new Set(['chat smooth', 'queue', 'prefill', 'decode', 'rubato.chunks']);
    expect(doubted.map(({ name }) => name).filter((name) => ofOneClock.has(name))).toEqual([]);
  });
});

test('a stalled exchange is found by its stall, and one that flows is not', async ({ skip }) => {
  if (jaeger === undefined || path?.gateway === undefined) return skip(NOT_HAD);
  const { url } = jaeger;
  const stalled = await ask(path, 'stalled', tokens(STALL_MS));
  const flowing = await ask(path, 'flowing', tokens(20));
  for (const { traceId } of [stalled, flowing]) await traceOf(url, traceId, { spanCount: SPANS_COUNT });
  const found = async (attributes: Record<string, string>): Promise<boolean[]> => {
    const ids = await tracesWith(url, 'rubato', attributes);
    return [stalled, flowing].map(({ traceId }) => ids.includes(traceId));
  };
  const { stallCount, gapsReceived } = stalled.entry.figures;
  expect(stallCount).toBeGreaterThanOrEqual(1);
  // By its event, in whole µs.
  const gapUs = Math.round((gapsReceived.maxNs ?? NaN) / 1e3);
  expect(await found({ 'rubato.stall.gap_us': String(gapUs) })).toEqual([true, false]);
  expect(await found({ 'rubato.stall.gap_us': String(gapUs + 1) })).toEqual([false, false]);
  // By its span; what both have finds both.
  expect(await found({ 'rubato.gap.max_us': String(gapUs) })).toEqual([true, false]);
  expect(await found({ 'rubato.outcome': 'ok' })).toEqual([true, true]);
});

test('a stream of more chunks than are listed is stored with all that are', async ({ skip }) => {
  if (jaeger === undefined || path?.gateway === undefined) return skip(NOT_HAD);
  const { traceId, entry } = await ask(path, 'many', chunks(SPAN_CHUNKS_MAX_COUNT + 500));
  const spans = await traceOf(jaeger.url, traceId, { spanCount: SPANS_COUNT });
  expect(entry.record.response.chunkCount).toBeGreaterThan(SPAN_CHUNKS_MAX_COUNT);
  expectChunks(spans, entry.record, SPAN_CHUNKS_MAX_COUNT);
});

test('a caller that samples nothing makes no trace of it', async ({ skip }) => {
  if (jaeger === undefined || path === undefined) return skip(NOT_HAD);
  const [quiet, loud] = ['c'.repeat(32), 'd'.repeat(32)];
  for (const [traceId, flags] of [
    [quiet, '00'],
    [loud, '01'],
  ] as const) {
    const plan = path.engine.plan(async (exchange) => exchange.write(HEAD, c(D('a')), c(FINISH + DONE), END));
    const response = await fetch(`http://127.0.0.1:${path.sidecar.listenPort}${CHAT_TARGET}`, {
      method: 'POST',
      headers: { [PLAN_FIELD]: plan.id, traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` },
      body: JSON.stringify({ model: 'm', stream: true }),
    });
    await response.text();
  }
  // The later one is there, so the earlier one would be.
  await traceOf(jaeger.url, loud, { spanCount: 3 });
  expect((await fetch(`${jaeger.url}/api/v3/traces/${quiet}`)).status).toBe(404);
});
