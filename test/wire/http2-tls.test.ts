// Goal: over TLS it is the handshake that says whether a connection speaks HTTP/2, and both are served.
// Method: Node's HTTP/2 client and raw TLS clients before a sidecar with a certificate and --http2.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { pairOf, pem } from '../support/certificates.ts';
import { CANCEL, H2Client } from '../support/h2-client.ts';
import { RawClient } from '../support/raw-client.ts';
import { at, c, D, DONE, END, HEAD } from '../support/script.ts';

const ca = pem('authority.crt.pem');
const POST = { ':method': 'POST', ':path': '/v1/chat/completions', 'content-type': 'application/json' };
const folder = mkdtempSync(join(tmpdir(), 'rubato-h2-'));
const bench = useBench(() => {
  const { cert, key } = pairOf('engine');
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  return { args: ['--http2', '--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')] };
});
afterEach(() => expect(bench.sidecar.noise).toEqual([]));
afterAll(() => rmSync(folder, { recursive: true }));

function agreedUpon(ALPNProtocols: string[] | undefined): Promise<string | false | null> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: bench.sidecar.listenPort, ca, ...(ALPNProtocols && { ALPNProtocols }) };
    const socket: TLSSocket = connect(options, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('HTTP/2 is agreed upon with whoever offers it', async () => {
  expect(await agreedUpon(['http/1.1', 'h2'])).toBe('h2');
  expect(await agreedUpon(['http/1.1'])).toBe('http/1.1');
  expect(await agreedUpon(undefined)).toBe(false);
  await expect(agreedUpon(['h3'])).rejects.toThrow(/alert/i);
});

test('a stream of it arrives whole with all its stamps, and one that is reset ends the engine’s work', async () => {
  const client = new H2Client(`https://127.0.0.1:${bench.sidecar.listenPort}`, { ca });
  bench.engine.plan([at(0, HEAD), at(20, c(D('a'))), at(60, c(D('b'))), at(100, c(DONE), END)]);
  const answer = await client.ask(POST, '{}').closed();
  expect([answer.body, answer.isWhole]).toEqual([D('a') + D('b') + DONE, true]);
  const [entry] = await bench.sidecar.recordsAfter(0, 1);
  expect(entry?.record.end.outcome).toBe('ok');
  expect(entry?.record.request.httpVersion).toBe('2');
  expect(entry?.record.blockedNs).toEqual([]);
  expect(entry?.record.chunks.flushedAtNs.every((atNs) => atNs !== null)).toBe(true);
  const plan = bench.engine.plan([at(0, HEAD), at(0, c(D('a')))]);
  const left = client.ask(POST, '{}');
  await left.bytes(1);
  left.stream.close(CANCEL);
  await (await plan.exchange).connection.untilGone(2_000);
  await client.stop();
});

test('a client of HTTP/1.1 is served as ever', async () => {
  bench.engine.plan([at(0, HEAD), at(20, c(D('a')), c(DONE), END)]);
  const plain = await RawClient.open(bench.sidecar.listenPort, { ca });
  plain.request('GET /plain HTTP/1.1\r\nhost: x\r\n\r\n');
  expect((await plain.response()).body.toString()).toBe(D('a') + DONE);
  plain.close();
  const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/plain');
  expect(record.request.httpVersion).toBeUndefined();
});
