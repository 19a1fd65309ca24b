// Goal: the probe names what holds a stream and its cure, clears what does not, tells what is wrong with an
// endpoint, and never shows a key. Method: the real command against the reference engine, straight and through
// small gateways that hold in a known way.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProbeResult } from '../../src/client/probe/result.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { type Holding, startHoldingGateway } from '../support/holding-gateway.ts';
import { Sidecar } from '../support/sidecar.ts';
import { runCli } from '../unit/cli/fake-io.ts';

/** A token every 12 ms, as long as was asked for. */
let engine: ReferenceEngine;
const folder = mkdtempSync(join(tmpdir(), 'rubato-probe-'));
const open: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  engine = await startReferenceEngine();
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

async function gateway(holding: Holding, fields?: Readonly<Record<string, string>>): Promise<string> {
  const started = await startHoldingGateway(engine.url, holding, fields);
  open.push(started);
  return started.url;
}

/** A server that answers everything alike. */
async function answering(status: number, type: string, body: string): Promise<string> {
  const server = createServer((_, outgoing) => outgoing.writeHead(status, { 'content-type': type }).end(body));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({ stop: () => new Promise((resolve) => void server.close(() => resolve())) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const probe = async (url: string, ...flags: string[]) => runCli(['probe', url, ...flags]);

describe('a stream that nothing holds', () => {
  test('passes, exit 0, with the parts of the wait apart', async () => {
    const { exitCode, out } = await probe(await gateway({ way: 'pass' }));
    expect(exitCode, out).toBe(0);
    expect(out).toContain('PASSES');
    for (const part of ['TCP', 'head', 'first text', 'TTFT', 'reads', 'gaps', 'TPOT'])
      expect(out).toContain(`  ${part}`);
    expect(out).toMatch(/\|[-.1-9#]{64}\|/);
  });

  test('as JSON: one object whose parts sum to no more than the wait', async () => {
    const { exitCode, out } = await probe(engine.url, '--json', '--count', '2', '--max-tokens', '64');
    const result = JSON.parse(out) as ProbeResult;
    expect(exitCode, out).toBe(0);
    expect(result).toMatchObject({ schema: 1, api: 'chat', verdict: { word: 'passes', points: 1 } });
    expect(result.streams).toHaveLength(2);
    for (const { moments, figures, readCount, textEventCount } of result.streams) {
      const { tcpNs = 0, sendNs = 0, headNs = 0, firstTextNs = 0, ttftNs = 0 } = moments;
      expect(tcpNs + sendNs + headNs + firstTextNs).toBeLessThanOrEqual(ttftNs);
      expect(figures.ttftNs).toBe(ttftNs);
      expect(textEventCount).toBeGreaterThanOrEqual(readCount / 2);
    }
  });
});

test.each([
  ['responses', 'responses', '/v1/responses'],
  ['messages', 'anthropic', '/v1/messages'],
  ['completions', 'vllm', '/v1/completions'],
] as const)('%s is asked in its own words', async (api, persona, path) => {
  const other = await startReferenceEngine({ persona });
  open.push({ stop: () => other.close() });
  const flags = ['--api', api, '--model', 'reference-small', '--max-tokens', '100', '--json'];
  const { exitCode, out } = await probe(other.url, ...flags);
  expect(exitCode, out).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ api, url: `${other.url}${path}`, streams: [{ outcome: 'ok' }] });
});

describe('a stream that a gateway holds', () => {
  test.each<[Holding, string]>([
    [{ way: 'size', bytes: 4096 }, 'until so many bytes are there'],
    [{ way: 'timer', everyMs: 500 }, 'until so much time is over'],
    [{ way: 'gzip' }, 'until the compressor has a block'],
    [{ way: 'until_end' }, 'until the answer is over'],
  ])('%o is named, exit 1', async (holding, words) => {
    const { exitCode, out } = await probe(await gateway(holding), '--max-tokens', '400');
    expect(exitCode, out).toBe(1);
    expect(out).toContain(`HELD: something on the way holds the text, ${words}`);
    expect(out).toContain('→');
  });

  test('the cure is the setting of the product that names itself', async () => {
    const { out } = await probe(await gateway({ way: 'size', bytes: 4096 }, { server: 'nginx/1.22.1' }));
    expect(out).toContain('seen on the way: nginx');
    expect(out).toContain('→ nginx: `proxy_buffering off;`');
  });

  test('with a rubato behind it the verdict rests on both sides', async () => {
    const sidecar = await Sidecar.start({ upstream: engine.url });
    open.push(sidecar);
    const held = await startHoldingGateway(`http://127.0.0.1:${sidecar.listenPort}`, { way: 'size', bytes: 4096 });
    open.push(held);
    const { exitCode, out } = await probe(held.url, '--peer', `gw@http://127.0.0.1:${sidecar.adminPort}`, '--json');
    const result = JSON.parse(out) as ProbeResult;
    expect(exitCode, out).toBe(1);
    expect(result.verdict).toMatchObject({ word: 'holds', points: 2 });
    expect(result.streams[0]?.hop).toMatchObject({ hop: 'gw', word: 'holds' });
  });

  test('a peer that is not there costs the second sight only', async () => {
    const { exitCode, out } = await probe(engine.url, '--peer', 'http://127.0.0.1:9');
    expect(exitCode, out).toBe(0);
    expect(out).toContain('1 not found at');
  });
});

test('an answer too short to tell is unsure, exit 3', async () => {
  const { exitCode, out } = await probe(engine.url, '--max-tokens', '4');
  expect(exitCode, out).toBe(3);
  expect(out).toContain('ask for more with --max-tokens');
});

describe('what is no stream', () => {
  test.each([
    [401, 'application/json', '{"error":{"message":"no key"}}', 'status 401, "no key"', '--key-env'],
    [404, 'text/html', '<p>', 'status 404', 'Check the URL'],
    [200, 'application/json', '{"choices":[{"message":{"content":"whole"}}]}', 'application/json, no stream', '--api'],
    [302, 'text/plain', '', 'status 302', 'leads elsewhere'],
  ])('%s %s is told with what to do, exit 69', async (status, type, body, says, cure) => {
    const { exitCode, out } = await probe(await answering(status, type, body));
    expect(exitCode, out).toBe(69);
    expect(out).toContain(says);
    expect(out).toContain(cure);
  });

  test('nobody there', async () => {
    const { exitCode, out } = await probe('http://127.0.0.1:9');
    expect(exitCode).toBe(69);
    expect(out).toContain('Nothing listens there');
  });
});

test('a key, a header’s value and a query are never shown, saved or told', async () => {
  const canaries = ['sk-canary-1', 'canary-2', 'canary-3'];
  const url = `${await answering(401, 'application/json', '{"error":{"message":"Bad key sk-canary-1, canary-2"}}')}/v1/chat/completions?token=canary-3`;
  const file = join(folder, 'canary.json');
  const flags = ['--key-env', 'PROBE_KEY', '--header', 'x-secret: canary-2', '--save', file];
  const env = { PROBE_KEY: canaries[0] };
  const page = await runCli(['probe', url, ...flags], env);
  const json = await runCli(['probe', url, ...flags, '--json'], env);
  const wrong = await runCli(['probe', url, ...flags, '--count', 'x'], env);
  const shown = [page, json, wrong].map(({ out, err }) => out + err).join('') + readFileSync(file, 'utf8');
  for (const canary of canaries) expect(shown).not.toContain(canary);
  expect(page.out).toContain('Bad key ***, ***');
});

test('a run that was saved is compared with', async () => {
  const file = join(folder, 'near.json');
  expect((await probe(engine.url, '--max-tokens', '64', '--save', file)).exitCode).toBe(0);
  const { exitCode, out } = await probe(await gateway({ way: 'pass' }), '--max-tokens', '64', '--compare', file);
  expect(exitCode, out).toBe(0);
  expect(out).toContain('From here the first text takes');
});

describe('wrong flags', () => {
  test('are told all at once, exit 64, and nothing is sent', async () => {
    const { exitCode, err } = await runCli([
      'probe',
      'ftp://x',
      '--api',
      'soap',
      '--count',
      '0',
      '--key-env',
      'NOT_THERE',
      '--header',
      'x',
      '--compare',
      '/nowhere',
    ]);
    expect(exitCode).toBe(64);
    for (const flag of ['http://', '--api', '--count', '--key-env', '--header', '--compare'])
      expect(err).toContain(flag);
  });

  test('a password in the URL is refused, and not shown', async () => {
    const { exitCode, err, out } = await probe('http://user:canary@127.0.0.1:9');
    expect(exitCode).toBe(64);
    expect(err + out).not.toContain('canary');
  });
});

test('--help teaches by examples', async () => {
  const { exitCode, out } = await runCli(['probe', '--help']);
  expect(exitCode).toBe(0);
  for (const words of ['--peer', '--compare near.json', '--key-env API_KEY', 'Exit code: 0'])
    expect(out).toContain(words);
});
