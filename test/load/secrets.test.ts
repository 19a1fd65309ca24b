// Goal: nothing that a client or an engine would not show a stranger is in any output of rubato.
// Method: canaries in every place where a secret or a text of people can be, through every kind of
// exchange and every dialect, with the most talkative log, by each protocol of OTLP; then every output is
// searched, encoded in the usual ways too.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GrpcCatcher } from '../support/grpc-catcher.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { at, c, D, DONE, END, FINISH, HEAD, head, requestOf } from '../support/script.ts';
import { canaries, canary, holds, SECRET_PLAYS, TO_ADMIN, UNREADABLE } from '../support/secret-places.ts';
import { Sidecar } from '../support/sidecar.ts';
import { firstEvents } from '../support/live-client.ts';
import { poll, sleep } from '../support/signal.ts';

const PRELOAD = new URL('../support/kill-relay.ts', import.meta.url).href;
/** Beside those of SECRET_PLAYS: a request with trailers, a tunnel, and the stream of a relay that dies. */
const OTHER_COUNT = 3;

let engine: RawEngine;
beforeAll(async () => {
  engine = await RawEngine.start();
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await engine.stop();
});

type Outputs = [name: string, text: string][];

async function playAll(sidecar: Sidecar): Promise<void> {
  for (const { target, lines, body, script } of Object.values(SECRET_PLAYS)) {
    const plan = engine.plan(script);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(requestOf({ method: 'POST', target, lines: [...lines, `${PLAN_FIELD}: ${plan.id}`], body }));
    await client.response().catch(() => undefined);
    client.close();
  }
  for (const request of UNREADABLE) await sendRaw(sidecar.listenPort, request);
  for (const request of TO_ADMIN) await sendRaw(sidecar.adminPort, request);
}

async function sendRaw(port: number, request: string): Promise<void> {
  const client = await RawClient.open(port);
  client.request(request);
  await client.untilGone();
  client.close();
}

async function playTrailers({ listenPort }: Sidecar): Promise<void> {
  const plan = engine.plan(async (exchange) => {
    await exchange.untilRequestEnd();
    await exchange.write(HEAD, c(D('a')), c(FINISH + DONE), END);
  });
  const client = await RawClient.open(listenPort);
  const start = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${PLAN_FIELD}: ${plan.id}\r\n`;
  const text = canary('ChunkedBody');
  const trailer = `0\r\nx-trailer: ${canary('RequestTrailer')}\r\n\r\n`;
  client.request(`${start}transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n${trailer}`);
  await client.response();
  client.close();
}

async function playTunnel({ listenPort }: Sidecar): Promise<void> {
  const plan = engine.plan(async (exchange) => {
    await exchange.write(head('101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade'));
    await exchange.write(canary('TunnelDown'));
    await sleep(50);
    exchange.connection.socket.end();
  });
  const client = await RawClient.open(listenPort);
  const lines = ['connection: upgrade', 'upgrade: websocket', `sec-websocket-protocol: key.${canary('Subprotocol')}`];
  client.request(
    requestOf({ target: `/v1/realtime?k=${canary('TunnelQuery')}`, lines: [...lines, `${PLAN_FIELD}: ${plan.id}`] }),
  );
  await client.responseHead();
  await client.send(canary('TunnelUp'));
  await client.untilGone();
  client.close();
}

/** A relay that dies while it holds secrets says what it says to the log. */
async function playCrash({ listenPort, pid, logs }: Sidecar): Promise<void> {
  const plan = engine.plan([at(0, HEAD, c(D(canary('CrashAnswer'))))]);
  const client = await RawClient.open(listenPort);
  const lines = [`authorization: Bearer ${canary('CrashKey')}`, `${PLAN_FIELD}: ${plan.id}`];
  client.request(
    requestOf({
      method: 'POST',
      target: '/v1/chat/completions',
      lines,
      body: JSON.stringify({ prompt: canary('CrashPrompt') }),
    }),
  );
  await client.responseHead();
  process.kill(pid, 'SIGUSR2');
  await client.untilGone();
  await poll('word of the death', () => logs.find(({ msg }) => String(msg).includes('relay thread died')));
  client.close();
}

/** Every page of the admin port, and each record it remembers. */
async function adminTexts(sidecar: Sidecar): Promise<Outputs> {
  const streams = (await sidecar.admin('/api/streams')).text;
  const { recent } = JSON.parse(streams) as { recent: { id: string }[] };
  const paths = ['/metrics', '/healthz', '/readyz', '/api/summary', ...recent.map(({ id }) => `/api/streams/${id}`)];
  const texts: Outputs = [
    ['/api/streams', streams],
    ['/api/live', await firstEvents(sidecar.adminPort)],
  ];
  for (const path of paths) texts.push([path, (await sidecar.admin(path)).text]);
  const accept = { headers: { accept: 'application/openmetrics-text' } };
  const openMetrics = await fetch(`http://127.0.0.1:${sidecar.adminPort}/metrics`, accept);
  return [...texts, ['OpenMetrics', await openMetrics.text()]];
}

/** What it said and wrote, once it has ended. */
async function lastWords(sidecar: Sidecar): Promise<Outputs> {
  sidecar.signal('SIGTERM');
  await sidecar.untilExit();
  return [
    ['log and other output', [...sidecar.logs.map((line) => JSON.stringify(line)), ...sidecar.noise].join('\n')],
    ['records', readFileSync(sidecar.recordFile, 'utf8')],
  ];
}

function expectNoCanary(outputs: Outputs): void {
  expect(outputs.filter(([, text]) => text.length === 0).map(([name]) => name)).toEqual([]);
  const found = outputs.flatMap(([name, text]) => {
    return canaries.filter((each) => holds(text, each)).map((each) => `${each} in ${name}`);
  });
  expect(found).toEqual([]);
}

describe.each(['http/json', 'http/protobuf', 'grpc'])('by %s', (protocol) => {
  let http: OtlpCatcher;
  let grpc: GrpcCatcher;
  let sidecar: Sidecar;

  beforeAll(async () => {
    http = await OtlpCatcher.start();
    http.keepsBodies = true;
    // The first exports fail, so that faults are told of as well.
    http.mood = 500;
    grpc = await GrpcCatcher.start();
    sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      args: ['--log-level', 'trace', '--drain', '1'],
      nodeArgs: ['--import', PRELOAD],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? grpc.url : http.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${canary('CollectorKey')}`,
        OTEL_METRIC_EXPORT_INTERVAL: '500',
        OTEL_METRIC_EXPORT_TIMEOUT: '450',
      },
    });
  });
  afterAll(async () => {
    await sidecar.stop();
    await http.stop();
    grpc.stop();
  });

  test('no output of any kind holds a canary', async () => {
    await sleep(700);
    http.mood = 200;
    await playAll(sidecar);
    await playTrailers(sidecar);
    await playTunnel(sidecar);
    await playCrash(sidecar);
    await sidecar.untilRecords(Object.keys(SECRET_PLAYS).length + OTHER_COUNT, 15_000);
    const outputs = [...(await adminTexts(sidecar)), ...(await lastWords(sidecar))];
    const bodies =
      protocol === 'grpc'
        ? grpc.messages.map(({ signal, bytes }) => ({ name: signal, bytes }))
        : http.bodies.map(({ url, bytes }) => ({ name: url, bytes }));
    expect(bodies.filter(({ name }) => name.includes('traces')).length).toBeGreaterThan(0);
    expect(bodies.filter(({ name }) => name.includes('metrics')).length).toBeGreaterThan(0);
    outputs.push(...bodies.map(({ name, bytes }): [string, string] => [name, bytes.toString('latin1')]));
    // Something is there to be found: the route's name is in each of the outputs that tell of exchanges.
    expect(
      outputs.filter(([name, text]) => name.includes('traces') && text.includes('rubato.outcome')).length,
    ).toBeGreaterThan(0);
    expectNoCanary(outputs);
  }, 60_000);
});

describe('what engines tell beside their answers', () => {
  test('their spans and metrics leave no canary behind', async () => {
    const page = `# ${canary('MetricsComment')}\nvllm:num_requests_running{model_name="m",key="${canary('MetricsLabel')}"} 1\nother{a="${canary('OtherLabel')}"} 1\n${canary('MetricsGarbage')}\n`;
    const metrics = createServer((_request, response) => response.end(page)).listen(0, '127.0.0.1');
    await poll('metrics of an engine', () => (metrics.listening ? true : undefined));
    const url = `http://127.0.0.1:${(metrics.address() as AddressInfo).port}/metrics`;
    const sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      args: ['--log-level', 'trace', '--otlp-listen', '127.0.0.1:0', '--engine-metrics', url, '--drain', '1'],
    });
    try {
      const traceId = 'c'.repeat(32);
      const attribute = (key: string) => ({ key, value: { stringValue: canary(key.replaceAll(/\W/g, '')) } });
      const span = {
        traceId,
        spanId: 'b'.repeat(16),
        name: canary('SpanName'),
        startTimeUnixNano: '1',
        endTimeUnixNano: '2',
        attributes: ['gen_ai.input.messages', 'gen_ai.output.messages', 'http.url', 'db.statement'].map(attribute),
        events: [{ name: canary('SpanEvent'), timeUnixNano: '1', attributes: [attribute('exception.message')] }],
        status: { code: 2, message: canary('SpanStatus') },
      };
      const body = {
        resourceSpans: [{ resource: { attributes: [attribute('host.name')] }, scopeSpans: [{ spans: [span] }] }],
      };
      const post = (path: string, text: string): Promise<Response> =>
        fetch(sidecar.otlpUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: canary('IntakeKey') },
          body: text,
        });
      const plan = engine.plan([at(0, HEAD, c(D('a')), c(FINISH + DONE), END)]);
      const client = await RawClient.open(sidecar.listenPort);
      const lines = [`traceparent: 00-${traceId}-${'d'.repeat(16)}-01`, `${PLAN_FIELD}: ${plan.id}`];
      client.request(requestOf({ method: 'POST', target: '/v1/chat/completions', lines, body: '{"model":"m"}' }));
      expect((await post('/v1/traces', JSON.stringify(body))).status).toBe(200);
      await post('/v1/traces', `{"resourceSpans": ${canary('IntakeGarbage')}`);
      await post(`/${canary('IntakePath')}`, '{}');
      await client.response();
      client.close();
      await sidecar.untilRecords(1);
      const state = async (): Promise<true | undefined> =>
        (await sidecar.admin('/api/summary')).text.includes('"up":true') ? true : undefined;
      await poll('metrics that were read', state);
      expectNoCanary([...(await adminTexts(sidecar)), ...(await lastWords(sidecar))]);
    } finally {
      await sidecar.stop();
      metrics.close();
    }
  });
});
