// Goal: OTLP goes on to a collector over TLS only when the collector can prove who it is.
// Method: collectors with a certificate of the authority of the tests, over both protocols; senders that know
// the authority and senders that do not.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sender } from '../../src/observe/otlp/forwarder.ts';
import { createGrpcSender } from '../../src/observe/otlp/grpc-sender.ts';
import { createHttpSender } from '../../src/observe/otlp/http-sender.ts';
import type { CollectorTarget, Payload } from '../../src/observe/otlp/signals.ts';
import { pairOf, pem } from '../support/certificates.ts';
import { GrpcCatcher } from '../support/grpc-catcher.ts';

const COLLECTOR = pairOf('engine');
const PAYLOAD: Payload = {
  signal: 'logs',
  type: 'application/x-protobuf',
  encoding: undefined,
  bytes: Buffer.from('unread'),
};

const httpBodies: string[] = [];
const httpServer = createServer(COLLECTOR, (request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  request.on('end', () => {
    httpBodies.push(text);
    response.end();
  });
});
let grpc: GrpcCatcher | undefined;

beforeAll(async () => {
  grpc = await GrpcCatcher.start(COLLECTOR);
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  grpc?.stop();
  httpServer.close();
});

function target(protocol: CollectorTarget['protocol'], ca: string | undefined): CollectorTarget {
  const httpUrl = `https://127.0.0.1:${(httpServer.address() as AddressInfo).port}/v1/logs`;
  const url = protocol === 'grpc' ? (grpc?.url ?? '') : httpUrl;
  return { protocol, url, headers: {}, timeoutMs: 3_000, tls: { ca, cert: undefined, key: undefined } };
}

async function sendBy(make: (target: CollectorTarget) => Sender, to: CollectorTarget): Promise<boolean> {
  const sender = make(to);
  const { sent } = await sender.send(PAYLOAD);
  sender.close();
  return sent;
}

test('over HTTP', async () => {
  expect(await sendBy(createHttpSender, target('http', undefined))).toBe(false);
  expect(httpBodies).toEqual([]);
  expect(await sendBy(createHttpSender, target('http', pem('authority.crt.pem')))).toBe(true);
  expect(httpBodies).toEqual(['unread']);
});

test('over gRPC', async () => {
  expect(await sendBy(createGrpcSender, target('grpc', undefined))).toBe(false);
  expect(grpc?.messages).toEqual([]);
  expect(await sendBy(createGrpcSender, target('grpc', pem('authority.crt.pem')))).toBe(true);
  expect(grpc?.messages.map(({ bytes }) => bytes.toString())).toEqual(['unread']);
});
