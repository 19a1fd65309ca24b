// Goal: but for who makes the bytes, spans leave as by the SDK's own exporters, over HTTP and over gRPC: to the same
// place, with the same fields, under the same variables. Method: both send to a server that keeps what it is sent.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Server, ServerCredentials, type Metadata } from '@grpc/grpc-js';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { spanExporterFor } from '../../../src/telemetry/otel-exporters.ts';
import { otelPlan } from '../../../src/telemetry/otel-environment.ts';
import { createResource } from '../../../src/telemetry/sdk.ts';
import { createSpanMaker } from '../../../src/telemetry/span-maker.ts';
import { createSpanSink } from '../../../src/telemetry/spans.ts';
import { reportOf, TRACE, usualStream } from './reports.ts';

const GRPC_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** A partial success, one span refused. */
const ANSWER = Buffer.from([0x0a, 0x02, 0x08, 0x01]);

let environment: NodeJS.ProcessEnv;
let spans: ReadableSpan[];

beforeEach(() => {
  environment = process.env;
  spans = [];
  const maker = createSpanMaker({
    resource: createResource('1.2.3'),
    scope: { name: 'rubato', version: '1.2.3' },
    limits: otelPlan({}).spanLimits,
    processors: [{ onEnd: (span) => void spans.push(span) }],
  });
  const sink = createSpanSink({
    maker,
    chunks: 'all',
    chunksAs: 'arrays',
    slowTtftNs: 2e9,
    provider: 'vllm',
    upstreams: new Map(),
  });
  sink.onReport?.(reportOf(usualStream(40), { trace: TRACE }), undefined);
});

afterEach(() => {
  process.env = environment;
});

async function send(exporter: SpanExporter): Promise<ExportResult> {
  const result = await new Promise<ExportResult>((resolve) => exporter.export(spans, resolve));
  await exporter.shutdown();
  return result;
}

interface Caught {
  readonly target: string | undefined;
  readonly fields: object;
  readonly body: Buffer;
}

/** What a server that answers with this status is sent by both, and what they say of it. */
async function caughtOverHttp(variables: Record<string, string>, status = 200) {
  const caught: Caught[] = [];
  const keep = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = { ...request.headers };
    caught.push({ target: `${request.method} ${request.url}`, fields, body: await buffer(request) });
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end(ANSWER);
  };
  const server = createServer((request, response) => void keep(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  process.env = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/base`, ...variables };
  const results = [await send(await spanExporterFor('http/protobuf')), await send(new HttpExporter())];
  await new Promise((resolve) => server.close(resolve));
  return { caught, results };
}

it.each([
  {},
  { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=a%20b' },
  { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
])('over HTTP, under %j', async (variables) => {
  const { caught, results } = await caughtOverHttp(variables as Record<string, string>);
  const [own, sdk] = caught;
  expect(own?.target).toBe('POST /base/v1/traces');
  expect(own).toEqual(sdk);
  expect(own?.fields).toMatchObject({ 'content-type': 'application/x-protobuf' });
  expect(results.map(({ code }) => code)).toEqual([ExportResultCode.SUCCESS, ExportResultCode.SUCCESS]);
  if ('OTEL_EXPORTER_OTLP_COMPRESSION' in variables) {
    expect(gunzipSync(own?.body ?? '').length).toBeGreaterThan(own?.body.length ?? Infinity);
  }
});

it('what a collector refuses has failed', async () => {
  const { results } = await caughtOverHttp({}, 400);
  expect(results.map(({ code }) => code)).toEqual([ExportResultCode.FAILED, ExportResultCode.FAILED]);
  expect(results[0]?.error?.message).toBe(results[1]?.error?.message);
});

it('over gRPC', async () => {
  const caught: Caught[] = [];
  const server = new Server();
  const kept = (bytes: Buffer): Buffer => bytes;
  server.register(
    GRPC_PATH,
    (call: { request: Buffer; metadata: Metadata }, done: (fault: null, answer: Buffer) => void) => {
      caught.push({ target: undefined, fields: call.metadata.getMap(), body: call.request });
      done(null, ANSWER);
    },
    kept,
    kept,
    'unary',
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (fault, bound) => {
      if (fault === null) resolve(bound);
      else reject(fault);
    });
  });
  process.env = {
    ...environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret',
  };
  const results = [await send(await spanExporterFor('grpc')), await send(new GrpcExporter())];
  server.forceShutdown();
  expect(results.map(({ code }) => code)).toEqual([ExportResultCode.SUCCESS, ExportResultCode.SUCCESS]);
  const [own, sdk] = caught;
  expect(own).toEqual(sdk);
  expect(own?.fields).toMatchObject({ 'api-key': 'secret' });
  expect(own?.body.length).toBeGreaterThan(100);
});
