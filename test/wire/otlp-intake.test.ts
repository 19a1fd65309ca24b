// Goal: the OTLP listener takes what engines send by each protocol on one port, refuses what it must with
// the answer that protocol has for it, stays within its bounds, and passes payloads on byte for byte.
// Method: a receiver in this process, real exporters and raw sockets before it, catchers behind it.
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { OTLP_DECODED_MAX_BYTES, OTLP_REQUEST_MAX_BYTES } from '../../src/base/otlp-limits.ts';
import { createOtlpReceiver, type OtlpReceiver } from '../../src/observe/otlp/receiver.ts';
import { GRPC_PATHS, type CollectorTarget } from '../../src/observe/otlp/signals.ts';
import { exportSpans, makeSpans, PROTOCOLS } from '../support/engine-spans.ts';
import { GrpcCatcher } from '../support/grpc-catcher.ts';
import { OtlpCatcher, type CaughtBody } from '../support/otlp-catcher.ts';
import { poll, sleep } from '../support/signal.ts';

const NO_TLS = { ca: undefined, cert: undefined, key: undefined };
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_BODY = { 'content-type': 'application/json' };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Started {
  readonly receiver: OtlpReceiver;
  readonly origin: string;
  readonly port: number;
}

async function start(collector?: { url: string; protocol: 'http' | 'grpc'; timeoutMs?: number }): Promise<Started> {
  const target = (path: string): CollectorTarget | undefined =>
    collector && {
      protocol: collector.protocol,
      url: collector.protocol === 'grpc' ? collector.url : `${collector.url}/v1/${path}`,
      headers: { 'x-token': 'secret' },
      timeoutMs: collector.timeoutMs ?? 5_000,
      tls: NO_TLS,
    };
  const receiver = createOtlpReceiver({
    host: '127.0.0.1',
    port: 0,
    targets: { traces: target('traces'), metrics: target('metrics'), logs: target('logs') },
    onForwardFailed: () => undefined,
    onForwarded: () => undefined,
    evidenceWaitMs: 2_000,
    onLate: () => undefined,
  });
  const { port } = await receiver.start();
  ends.push(() => receiver.close());
  return { receiver, port, origin: `http://127.0.0.1:${port}` };
}

async function startCatcher(): Promise<OtlpCatcher> {
  const catcher = await OtlpCatcher.start();
  catcher.keepsBodies = true;
  ends.push(() => catcher.stop());
  return catcher;
}

async function startGrpcCatcher(): Promise<GrpcCatcher> {
  const catcher = await GrpcCatcher.start();
  ends.push(() => catcher.stop());
  return catcher;
}

function post(origin: string, path: string, body: Buffer | string, headers: Record<string, string> = PROTOBUF) {
  return fetch(`${origin}${path}`, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a real exporter sends, caught before anybody else sees it. */
async function exported(protocol: 'http/protobuf' | 'http/json'): Promise<CaughtBody> {
  const catcher = await startCatcher();
  const spans = makeSpans([{ traceparent: TRACEPARENT }, { traceparent: TRACEPARENT, name: 'more' }]);
  expect(await exportSpans(protocol, catcher.url, spans)).toBeUndefined();
  return catcher.bodies[0]!;
}

function grpcCall(port: number, path: string, bytes: Buffer): Promise<ServiceError | null> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  ends.push(() => client.close());
  const same = (value: Buffer): Buffer => value;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, bytes, new Metadata(), (error) => resolve(error));
  });
}

describe('one port', () => {
  test.each(PROTOCOLS)('takes what the SDK sends by %s', async (protocol) => {
    const { receiver, origin } = await start();
    expect(await exportSpans(protocol, origin, makeSpans([{ traceparent: TRACEPARENT }]))).toBeUndefined();
    expect(receiver.counts.received).toEqual({ traces: 1, metrics: 0, logs: 0 });
  });

  test('takes metrics and logs unread', async () => {
    const { receiver, origin, port } = await start();
    expect((await post(origin, '/v1/metrics', 'anything')).status).toBe(200);
    expect((await post(origin, '/v1/logs', '{}', JSON_BODY)).status).toBe(200);
    expect(await grpcCall(port, GRPC_PATHS.logs, Buffer.from('x'))).toBeNull();
    expect(receiver.counts.received).toEqual({ traces: 0, metrics: 1, logs: 2 });
  });

  test('tells the protocol although its first bytes come one by one', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    ends.push(() => socket.destroy());
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    const request =
      'POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
    for (const byte of request.slice(0, 5)) {
      socket.write(byte);
      await sleep(10);
    }
    socket.write(request.slice(5));
    await poll('an answer', () => (text.includes('\r\n\r\n{}') ? true : undefined));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('is refused to a second receiver with the error of the system', async () => {
    const { port } = await start();
    const targets = { traces: undefined, metrics: undefined, logs: undefined };
    const callbacks = {
      onForwardFailed: () => undefined,
      onForwarded: () => undefined,
      evidenceWaitMs: 0,
      onLate: () => undefined,
    };
    const second = createOtlpReceiver({ host: '127.0.0.1', port, targets, ...callbacks });
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    await second.close();
  });
});

describe('what is refused', () => {
  test.each([
    ['garbage', '/v1/traces', 'hello', PROTOBUF, 400],
    ['a cut message', '/v1/traces', Buffer.from([10, 200, 1, 0]), PROTOBUF, 400],
    ['no JSON', '/v1/traces', '{"resourceSpans": [', JSON_BODY, 400],
    ['JSON that is no object', '/v1/traces', '[]', JSON_BODY, 400],
    ['broken gzip', '/v1/traces', 'no gzip', { ...PROTOBUF, 'content-encoding': 'gzip' }, 400],
    ['a coding nobody asked for', '/v1/traces', 'x', { ...PROTOBUF, 'content-encoding': 'br' }, 415],
    ['a form', '/v1/traces', 'x', { 'content-type': 'text/plain' }, 415],
    ['an unknown path', '/v1/profiles', 'x', PROTOBUF, 404],
    ['a web page', '/v1/traces', '{}', { ...JSON_BODY, origin: 'http://evil.test' }, 403],
  ] as const)('%s', async (_, path, body, headers, expected) => {
    const { receiver, origin } = await start();
    const response = await post(origin, path, body, headers);
    expect(response.status).toBe(expected);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect(receiver.counts.received.traces).toBe(0);
  });

  test('a method that is not POST', async () => {
    const { origin } = await start();
    const response = await fetch(`${origin}/v1/traces`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a body larger than allowed, stated or not', async () => {
    const { receiver, origin, port } = await start();
    const socket = connect(port, '127.0.0.1');
    ends.push(() => socket.destroy());
    const lines = ['POST /v1/traces HTTP/1.1', 'host: x', 'content-type: application/x-protobuf'];
    socket.write([...lines, `content-length: ${OTLP_REQUEST_MAX_BYTES + 1}`, '', ''].join('\r\n'));
    const [first] = (await new Promise((resolve) => socket.once('data', (...all) => resolve(all)))) as [Buffer];
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 413 /);
    expect(receiver.counts.dropped.oversize).toBe(1);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 9; i += 1) controller.enqueue(new Uint8Array(1024 * 1024));
        controller.close();
      },
    });
    const init = { method: 'POST', body: stream, headers: PROTOBUF, duplex: 'half' };
    // A connection that is closed while the body is still on its way is an answer, too.
    const outcome = await fetch(`${origin}/v1/traces`, init as RequestInit).then(
      (response) => response.status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(outcome);
    expect(receiver.counts.dropped.oversize).toBe(2);
  });

  test('a gzip bomb, without ever holding what it would become', async () => {
    const { receiver, origin } = await start();
    const bomb = gzipSync(Buffer.alloc(OTLP_DECODED_MAX_BYTES * 4), { level: 9 });
    expect(bomb.length).toBeLessThan(100_000);
    const response = await post(origin, '/v1/traces', bomb, { ...PROTOBUF, 'content-encoding': 'gzip' });
    expect([response.status, receiver.counts.dropped.oversize]).toEqual([413, 1]);
  });

  test('by gRPC: garbage, an unknown method, a message too large', async () => {
    const { port } = await start();
    expect((await grpcCall(port, GRPC_PATHS.traces, Buffer.from('hello')))?.code).toBe(status.INVALID_ARGUMENT);
    expect((await grpcCall(port, '/other.Service/Do', Buffer.alloc(0)))?.code).toBe(status.UNIMPLEMENTED);
    const large = await grpcCall(port, GRPC_PATHS.metrics, Buffer.alloc(5 * 1024 * 1024));
    expect(large?.code).toBe(status.RESOURCE_EXHAUSTED);
  });
});

describe('what goes on to the collector', () => {
  test.each(['http/protobuf', 'http/json'] as const)('is byte for byte what came by %s', async (protocol) => {
    const catcher = await startCatcher();
    // Good, but not to be read: what comes can be packed.
    catcher.mood = 202;
    const { receiver, origin } = await start({ url: catcher.url, protocol: 'http' });
    const { bytes, contentType, url } = await exported(protocol);
    expect((await post(origin, url, bytes, { 'content-type': contentType })).status).toBe(200);
    const packed = gzipSync(bytes);
    const coded = { 'content-type': contentType, 'content-encoding': 'gzip' };
    expect((await post(origin, url, packed, coded)).status).toBe(200);
    await poll('both bodies', () => (catcher.bodies.length === 2 ? true : undefined));
    const types = catcher.bodies.map((body) => [body.url, body.contentType]);
    expect(types).toEqual([
      ['/v1/traces', contentType],
      ['/v1/traces', contentType],
    ]);
    expect(catcher.bodies.map((body) => sha256(body.bytes)).toSorted()).toEqual(
      [sha256(bytes), sha256(packed)].toSorted(),
    );
    await poll('the count', () => (receiver.counts.forwarded.traces === 2 ? true : undefined));
  });

  test('crosses from gRPC to HTTP and from HTTP to gRPC unchanged', async () => {
    const { bytes } = await exported('http/protobuf');
    const [http, grpc] = [await startCatcher(), await startGrpcCatcher()];
    const toHttp = await start({ url: http.url, protocol: 'http' });
    const toGrpc = await start({ url: grpc.url, protocol: 'grpc' });
    expect(await grpcCall(toHttp.port, GRPC_PATHS.traces, bytes)).toBeNull();
    const coded = { ...PROTOBUF, 'content-encoding': 'gzip' };
    expect((await post(toGrpc.origin, '/v1/traces', gzipSync(bytes), coded)).status).toBe(200);
    expect((await post(toGrpc.origin, '/v1/metrics', gzipSync('unread'), coded)).status).toBe(200);
    await poll('all of it', () => (http.bodies.length === 1 && grpc.messages.length === 2 ? true : undefined));
    expect(sha256(http.bodies[0]!.bytes)).toBe(sha256(bytes));
    const [traces, metrics] = [...grpc.messages].sort((a, b) => (a.signal < b.signal ? 1 : -1));
    expect([traces?.signal, sha256(traces!.bytes), traces?.token]).toEqual(['traces', sha256(bytes), 'secret']);
    expect([metrics?.signal, metrics?.bytes.toString()]).toEqual(['metrics', 'unread']);
  });

  test('is no JSON for a collector of gRPC: spans are read, and the sender is told', async () => {
    const grpc = await startGrpcCatcher();
    const { receiver, origin } = await start({ url: grpc.url, protocol: 'grpc' });
    const { bytes } = await exported('http/json');
    const response = await post(origin, '/v1/traces', bytes, JSON_BODY);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ partialSuccess: { rejectedSpans: '2' } });
    expect((await post(origin, '/v1/logs', '{}', JSON_BODY)).status).toBe(415);
    expect(receiver.counts.dropped.unsupported).toBe(2);
    expect(grpc.messages).toEqual([]);
  });

  test('is sent once more when the collector could not take it, and then counted as lost', async () => {
    const catcher = await startCatcher();
    const { receiver, origin } = await start({ url: catcher.url, protocol: 'http' });
    catcher.mood = 503;
    catcher.retryAfterSeconds = 0;
    expect((await post(origin, '/v1/logs', 'a')).status).toBe(200);
    await poll('the loss', () => (receiver.counts.dropped.collector === 1 ? true : undefined));
    expect(catcher.bodies).toHaveLength(2);
    catcher.mood = 400;
    expect((await post(origin, '/v1/logs', 'b')).status).toBe(200);
    await poll('the loss', () => (receiver.counts.dropped.collector === 2 ? true : undefined));
    expect(catcher.bodies).toHaveLength(3);
    catcher.mood = 'flood';
    expect((await post(origin, '/v1/logs', 'c')).status).toBe(200);
    await poll('a good end', () => (receiver.counts.forwarded.logs === 1 ? true : undefined));
  });

  test('by gRPC is sent once more, too', async () => {
    const grpc = await startGrpcCatcher();
    grpc.refusals = 1;
    const { receiver, port } = await start({ url: grpc.url, protocol: 'grpc' });
    expect(await grpcCall(port, GRPC_PATHS.logs, Buffer.from('x'))).toBeNull();
    await poll('it', () => (receiver.counts.forwarded.logs === 1 ? true : undefined));
  });

  test('the sender does not wait for a collector that hangs', async () => {
    const catcher = await startCatcher();
    catcher.mood = 'hang';
    const { origin } = await start({ url: catcher.url, protocol: 'http', timeoutMs: 300 });
    for (let i = 0; i < 10; i += 1) expect((await post(origin, '/v1/logs', 'x')).status).toBe(200);
  });
});
