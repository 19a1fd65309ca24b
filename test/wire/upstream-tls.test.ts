// Goal: keys and prompts go over https to nobody who cannot prove who he is.
// Method: raw TLS engines, one with a certificate of an authority of the tests for this address, one
// self-signed for another name (made with openssl, valid until 2126).
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench } from '../support/bench.ts';
import { pairOf, pemPath } from '../support/certificates.ts';
import { at, c, D, DONE, END, HEAD } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const authority = pemPath('authority.crt.pem');
const stranger = pairOf('stranger');
const engine = pairOf('engine');
const script = [at(0, HEAD), at(20, c(D('a'))), at(40, c(DONE), END)];

async function expectRefused(bench: ReturnType<typeof useBench>): Promise<void> {
  const client = await bench.client();
  client.request(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: 12\r\n\r\n{"model":1 }',
  );
  const response = await client.response();
  expect(response.status).toBe(502);
  expect(response.values('x-rubato-error')).toEqual(['RBT_UPSTREAM_CONNECT']);
  expect(bench.engine.connections.every((connection) => connection.receivedBytes === 0)).toBe(true);
  const [entry] = await bench.sidecar.recordsAfter(0, 1);
  expect(entry?.record.end).toMatchObject({ outcome: 'connect_error', phase: 'before_head' });
  expect(entry?.record.end.reason).toBeDefined();
}

describe('a stranger', () => {
  const bench = useBench({ tls: stranger });
  test('N4 a self-signed certificate is refused, and no byte of the request leaves', () => expectRefused(bench));
});

describe('a known authority does not vouch for a stranger', () => {
  const bench = useBench({ tls: stranger, args: ['--upstream-ca', authority] });
  test('N4 a certificate of somebody else is refused', () => expectRefused(bench));
});

describe('--upstream-ca', () => {
  const bench = useBench({ tls: engine, args: ['--upstream-ca', authority] });
  test('N4 a certificate of that authority is accepted', async () => {
    const run = await bench.run({ script });
    expect(run.response.body.toString()).toBe(D('a') + DONE);
    const { record } = await bench.recordOf(run);
    expect(record.connection?.tlsNs).toBeGreaterThan(0);
    expect(record.end.outcome).toBe('ok');
  });

  test('a further connection goes on with the session of the first, and checks no certificate again', async () => {
    await bench.run({ script });
    // Two streams at a time need two connections.
    const before = bench.engine.connections.length;
    await Promise.all([bench.run({ script }), bench.run({ script }), bench.run({ script })]);
    const further = bench.engine.connections.slice(before).map(({ socket }) => (socket as TLSSocket).isSessionReused());
    expect(further.length).toBeGreaterThanOrEqual(2);
    expect(further.filter((isReused) => isReused).length).toBeGreaterThanOrEqual(1);
  });

  test('a connection over TLS is used again', async () => {
    const first = await bench.run({ script });
    await sleep(UPSTREAM_REST_MS + 50);
    const second = await bench.run({ script });
    expect(second.exchange.connection === first.exchange.connection).toBe(true);
  });

  test('I2 a client that leaves ends the work over TLS too', async () => {
    const plan = bench.engine.plan([]);
    const client = await bench.client();
    client.request('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    const { connection } = await plan.exchange;
    client.rst();
    await connection.untilGone(1_000);
  });
});

describe('--upstream-insecure', () => {
  const bench = useBench({ tls: stranger, args: ['--upstream-insecure'] });
  test('N4 any certificate is accepted, and a warning says so at the start', async () => {
    const { response } = await bench.run({ script });
    expect(response.body.toString()).toBe(D('a') + DONE);
    expect(bench.sidecar.logs.some((log) => /insecure|not verified|certificate/i.test(String(log['msg'])))).toBe(true);
  });
});
