// Goal: whatever comes over the wire, no text of it leaves longer than Tempo keeps. Method: an engine and a client
// that put 20 KB into everything that has a name, with a real sidecar between them and a catcher behind it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBench } from '../../support/bench.ts';
import { OtlpCatcher, plainAttributes } from '../../support/otlp-catcher.ts';
import { at, c, delta, DONE, END, event, head, type Step } from '../../support/script.ts';
import { mixedTypes, placesOf, tooLong } from './tempo-check.ts';

const WAIT_MS = 60_000;
const LONG = `m"\u2028${'語'.repeat(7_000)}`;
/** Heads are bytes, and whole ones are refused above 64 KiB. */
const LONG_FIELD = 'v'.repeat(6_000);

let catcher: OtlpCatcher;
beforeAll(async () => {
  catcher = await OtlpCatcher.start();
});
afterAll(() => catcher.stop());

const bench = useBench(() => ({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  },
}));

function answer(): Step[] {
  const names = { id: LONG, model: LONG, system_fingerprint: LONG, service_tier: LONG };
  const usage = { prompt_tokens: 3, completion_tokens: 1, [LONG]: 5, details: { [LONG]: 7 } };
  const statements = { timings: { [`a${LONG}`]: 1, [`prompt_${'x'.repeat(5_000)}`]: 2.5, prompt_ms: 3 } };
  const lines = [
    'content-type: text/event-stream',
    'transfer-encoding: chunked',
    `server: ${LONG_FIELD}`,
    `via: 1.1 ${LONG_FIELD}`,
    `x-request-id: ${LONG_FIELD}`,
    `server-timing: ${LONG_FIELD};dur=5, b;dur=1;desc="${LONG_FIELD}"`,
  ];
  const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: LONG }], ...names });
  const fault = event({ error: { type: LONG, code: LONG, message: LONG } });
  return [
    at(0, head('200 OK', ...lines)),
    at(5, c(delta({ content: 'a' }, names))),
    at(10, c(finish + event({ choices: [], usage, ...names, ...statements }) + fault + DONE), END),
  ];
}

test(
  'names of 20 KB in every place leave within the bound, on spans that are there',
  async () => {
    const lines = [
      `tracestate: evil=${LONG_FIELD}`,
      `x-traffic-class: ${LONG_FIELD}`,
      `x-request-id: ${LONG_FIELD}`,
      `x-job-id: ${LONG_FIELD}`,
      `idempotency-key: ${LONG_FIELD}`,
    ];
    const body = JSON.stringify({ model: LONG, stream: true, service_tier: LONG, messages: [{ content: LONG }] });
    // Behind a long path nobody knows the API any more, so its names are told by the second one alone.
    const ask = async (traceId: string, target: string): Promise<Record<string, unknown>> => {
      const traceparent = `traceparent: 00-${traceId}-b7ad6b7169203331-01`;
      await bench.run({ script: answer(), target, lines: [traceparent, ...lines], body });
      const spans = [await catcher.spanOfKind(traceId, 2), await catcher.spanOfKind(traceId, 3)];
      return plainAttributes(spans.flatMap(({ attributes = [] }) => attributes));
    };
    const farAway = await ask('a'.repeat(32), `/${'p'.repeat(6_000)}?key=${LONG_FIELD}`);
    const known = await ask('b'.repeat(32), '/v1/chat/completions');
    // What was cut is still there: it was looked at, and not left out.
    expect(farAway['url.path']).toBe(`/${'p'.repeat(127)}`);
    const names = ['gen_ai.request.model', 'gen_ai.response.model', 'gen_ai.response.id'].map((name) => known[name]);
    expect(names.map((name) => String(name).length)).toEqual([128, 128, 128]);
    expect([tooLong(catcher), mixedTypes(catcher)]).toEqual([[], []]);
    expect(JSON.stringify(placesOf(catcher))).not.toContain(LONG_FIELD.slice(0, 600));
  },
  WAIT_MS,
);
