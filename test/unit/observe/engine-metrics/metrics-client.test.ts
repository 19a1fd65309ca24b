// Goal: an answer comes whole or not at all, and whatever an engine does instead has a name and ends soon.
// Method: a real server that packs, redirects, refuses, floods, breaks off and hangs.
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { POLL_TIMEOUT_MS } from '../../../../src/base/poll-limits.ts';
import { MetricsClient } from '../../../../src/observe/engine-metrics/metrics-client.ts';
import { type Answer, type MetricsServer, startMetricsServer } from './metrics-server.ts';

let server: MetricsServer;
let client: MetricsClient;

beforeEach(async () => {
  server = await startMetricsServer();
  client = new MetricsClient({ caPem: undefined, insecure: false });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

async function ask(answer: Answer | undefined, maxBytes = 100_000) {
  if (answer !== undefined) server.answers['/m'] = answer;
  let text = '';
  const failure = await client.ask({ url: `${server.url}/m`, maxBytes, onText: (piece) => (text += piece) });
  return { text, failure };
}

describe('a body', () => {
  test('comes whole, in plain text and packed', async () => {
    expect(await ask('a 1\nb{x="ä"} 2\n')).toEqual({ text: 'a 1\nb{x="ä"} 2\n', failure: undefined });
    const packed = await ask((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a 1\n')),
    );
    expect(packed).toEqual({ text: 'a 1\n', failure: undefined });
  });

  test('is asked for unpacked, by GET', async () => {
    let asked: unknown[] = [];
    await ask((response, { method, headers }) => {
      asked = [method, headers['accept-encoding'], headers.accept];
      response.end();
    });
    expect(asked).toEqual(['GET', 'identity', 'text/plain;version=0.0.4, */*;q=0.1']);
  });

  test('that is too large ends the question, also when only its unpacked form is', async () => {
    expect((await ask('x'.repeat(100_001))).failure).toEqual({ fault: 'too_large' });
    const bomb = gzipSync('x'.repeat(5_000_000));
    const { failure, text } = await ask((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(failure).toEqual({ fault: 'too_large' });
    expect(text.length).toBeLessThan(200_000);
  });

  test('that breaks off, or is not what it says, is broken', async () => {
    const cut = await ask((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('a 1\n');
      setImmediate(() => response.destroy());
    });
    expect(cut.failure?.fault).toBe('broken');
    const lie = await ask((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('a 1\n'));
    expect(lie.failure?.fault).toBe('broken');
    const packedCut = await ask((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x'.repeat(10_000)).subarray(0, 20));
      setImmediate(() => response.destroy());
    });
    expect(packedCut.failure?.fault).toBe('broken');
  });
});

describe('an answer that is none', () => {
  test.each([
    [404, 'absent'],
    [501, 'absent'],
    [401, 'absent'],
    [503, 'status'],
    [500, 'status'],
  ])('of status %i is %s', async (status, fault) => {
    expect((await ask((response) => response.writeHead(status).end('no'))).failure).toEqual({ fault, status });
  });

  test('redirects, and is not followed', async () => {
    server.answers['/elsewhere'] = 'a 1\n';
    const { failure } = await ask((response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect([failure, server.asked]).toEqual([{ fault: 'redirect', status: 302 }, ['/m']]);
  });

  test('with a body without end does not keep the question open', async () => {
    const { failure } = await ask((response) => void response.writeHead(404).write('x'.repeat(1_000)));
    expect(failure?.fault).toBe('absent');
  });

  test('comes from nobody', async () => {
    await server.close();
    expect((await ask(undefined)).failure).toEqual({ fault: 'refused', code: 'ECONNREFUSED' });
    server = await startMetricsServer();
  });

  test(
    'hangs before its head, or drips for ever, and is given up',
    async () => {
      const drip = (response: Parameters<Exclude<Answer, string>>[0]): void => {
        response.writeHead(200).write('a 1\n');
        const timer = setInterval(() => response.write('a 1\n'), 200);
        response.on('close', () => clearInterval(timer));
      };
      const hung = client.ask({ url: `${server.url}/hung`, maxBytes: 1_000, onText: () => undefined });
      server.answers['/hung'] = () => undefined;
      const both = await Promise.all([ask(drip), hung]);
      expect([both[0].failure?.fault, both[1]?.fault]).toEqual(['timeout', 'timeout']);
    },
    POLL_TIMEOUT_MS + 5_000,
  );
});
