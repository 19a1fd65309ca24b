// Goal: a gateway that says a word of its own before each answer is seen through like any other: both sights are found
// to be one, by an id or by the text alone, what it added is told, and its holds are measured on what both have.
// Method: raw client → edge → a small gateway that puts an event before the answer → main listener → raw engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/judge/report.ts';
import { useBench } from '../support/bench.ts';
import { useClients } from '../support/clients.ts';
import { Gateway, type GatewayWay } from '../support/gateway.ts';
import { type EngineExchange, PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { c, chatRequest, delta, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const clientOf = useClients();
const BANNER = 'This answer was made by a machine and may be wrong. ';
const TOKENS = Array.from({ length: 40 }, (_, token) => `word${token} `);
const TEXT_CHARS = TOKENS.join('').length;

/** The tokens, one every 10 ms. */
function telling(id: string): (exchange: EngineExchange) => Promise<void> {
  return async (exchange) => {
    await exchange.write(HEAD);
    for (const content of TOKENS) {
      await exchange.write(c(delta({ content }, { id })));
      await sleep(10);
    }
    await exchange.write(c(FINISH + DONE), END);
  };
}

const IDS = ['traceparent', 'tracestate', 'x-request-id'];

describe('a gateway that puts a sentence before each answer', () => {
  let gateway: Gateway;
  let count = 0;
  const bench = useBench(async () => {
    gateway = await Gateway.start({ says: delta({ content: BANNER }, { id: 'gateway-0' }) });
    return { args: ['--edge', `speaker@127.0.0.1:0=${gateway.url}`] };
  });
  beforeAll(() => void (gateway.innerPort = bench.sidecar.listenPort));
  afterAll(() => gateway.stop());

  /** What is reported of one answer as the client had it. */
  async function reportOf(way: GatewayWay): Promise<Report> {
    gateway.way = way;
    count += 1;
    const model = `spoken-${count}`;
    const plan = bench.engine.plan(telling(`chatcmpl-${count}`));
    const client = await clientOf(bench.sidecar.edgePort('speaker'));
    client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    const response = await client.response(0, 30_000);
    expect(response.complete).toBe(true);
    expect(response.body.toString()).toContain(BANNER);
    return poll(`the report of ${model}`, async () => {
      const { record } =
        bench.sidecar.records().find((one) => one.record.request.model === model && one.record.edge !== undefined) ??
        {};
      const told = record && (await bench.sidecar.admin(`/api/streams/${record.id}`));
      return told?.status === 200 ? (JSON.parse(told.text) as Report) : undefined;
    });
  }

  test('is known by the trace, and the answer is laid over itself', async () => {
    const { record, hop } = await reportOf({ name: 'passes' });
    expect(record.hop).toMatchObject({ name: 'speaker', pairedBy: 'trace', confirmed: true });
    expect(record.hop?.changes).toEqual(expect.arrayContaining(['text_added', 'response_id_changed']));
    expect(record.hop?.changes).not.toContain('text_changed');
    expect(record.hop?.curve.endChars.at(-1)).toBe(TEXT_CHARS);
    expect(record.hop?.curve.endChars[0]).toBe(TOKENS[0]?.length);
    expect(hop?.word).not.toBe('holds');
  });

  test('is known by the text alone where it drops each id, and named when it holds', async () => {
    gateway.drops = IDS;
    const { record, hop } = await reportOf({ name: 'until_end' });
    gateway.drops = [];
    expect(record.hop).toMatchObject({ name: 'speaker', pairedBy: 'content', confirmed: true });
    expect(record.hop?.changes).toContain('text_added');
    expect(hop).toMatchObject({ word: 'holds', way: 'until_end' });
  });
});

test('between two processes it is known by the text alone, as the one behind it tells', async () => {
  const stops: (() => Promise<void>)[] = [];
  try {
    const engine = await RawEngine.start();
    stops.push(() => engine.stop());
    const inner = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    stops.push(() => inner.stop());
    const gateway = await Gateway.start({ says: delta({ content: BANNER }, { id: 'gateway-0' }), drops: IDS });
    stops.push(() => gateway.stop());
    gateway.innerPort = inner.listenPort;
    const outer = await Sidecar.start({
      upstream: gateway.url,
      args: ['--peer', `far@http://127.0.0.1:${inner.adminPort}`],
    });
    stops.push(() => outer.stop());
    const plan = engine.plan(telling('chatcmpl-1'));
    const client = await clientOf(outer.listenPort);
    client.request(chatRequest({ model: 'spoken-far', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    expect((await client.response(0, 30_000)).complete).toBe(true);
    const record = await poll('the record', () => outer.records()[0]?.record);
    expect(record.hop).toMatchObject({ name: 'far', pairedBy: 'content', confirmed: true });
    expect(record.hop?.changes).toContain('text_added');
    expect(record.hop?.curve.endChars.at(-1)).toBe(TEXT_CHARS);
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
});
