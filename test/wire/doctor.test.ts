// Goal: `rubato doctor` says what a user would otherwise find out slowly, each with a cure, and its exit
// code tells whether rubato could work. Method: the command as its users run it, against the reference
// engine in several personas, against nothing, against ports that are taken and collectors that refuse.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/app/doctor/check.ts';
import { exportEngineSpans } from '../support/engine-exporter.ts';
import { rubato } from '../support/program.ts';
import { startReferenceEngine, type ReferenceEngineOptions } from '../../src/client/reference-engine/start.ts';
import { freePort } from '../../src/client/hops/free-port.ts';

const FREE = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

interface Examined {
  readonly status: number | null;
  readonly ok: boolean;
  find(check: string): Finding;
}

async function doctor(args: readonly string[], env: Record<string, string> = {}): Promise<Examined> {
  const { status, stdout, stderr } = await rubato(['doctor', '--json', ...FREE, ...args], env);
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  return {
    status,
    ok,
    find(check) {
      const found = findings.find((finding) => finding.check === check);
      if (found === undefined) throw new Error(`there is no finding ${check} in ${stdout}`);
      return found;
    },
  };
}

async function engine(options: ReferenceEngineOptions): Promise<string> {
  const started = await startReferenceEngine(options);
  open.push(() => started.close());
  return started.url;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe('an engine that says all', () => {
  test('llama.cpp: exact with nothing switched on', async () => {
    const { status, ok, find } = await doctor(['--upstream', await engine({ persona: 'llamacpp' })]);
    expect([status, ok]).toEqual([0, true]);
    expect(find('upstream').status).toBe('ok');
    expect(find('engine')).toMatchObject({ status: 'ok', values: { engine: 'llama.cpp', by: 'body' } });
    expect(find('evidence')).toMatchObject({ status: 'ok', values: { basis: 'exact', parts: 'queue,prefill' } });
    expect(find('usage').status).toBe('ok');
    expect(find('head')).toMatchObject({ status: 'ok', values: { early: true } });
    expect(find('traceparent').status).toBe('ok');
  });

  test('Ollama: by its own route, which is found', async () => {
    const { find } = await doctor(['--path', '/api/chat', '--upstream', await engine({ persona: 'ollama' })]);
    expect(find('stream')).toMatchObject({ status: 'ok', values: { path: '/api/chat' } });
    expect(find('evidence')).toMatchObject({ status: 'ok', values: { basis: 'exact' } });
  });
});

describe('an engine that could say more', () => {
  test('vLLM without its flags is told which to switch on', async () => {
    const url = await engine({ persona: 'vllm', signals: { inBand: false, usage: false, spans: false } });
    const { status, find } = await doctor(['--engine', 'vllm', '--upstream', url]);
    expect(status).toBe(0);
    expect(find('evidence').status).toBe('note');
    expect(find('evidence').cure).toContain('--enable-per-request-metrics --enable-force-include-usage');
    expect(find('usage').cure).toContain('--enable-force-include-usage');
    expect(find('traceparent').cure).toContain('--otlp-listen');
    expect(find('metrics')).toMatchObject({ status: 'ok', values: { engine: 'vllm' } });
  });

  test('a head that comes with the first token, though the engine sends it earlier, points at a hop', async () => {
    const url = await engine({ persona: 'vllm', headAt: 'first_token' });
    const { find } = await doctor(['--engine', 'vllm', '--upstream', url]);
    expect(find('head')).toMatchObject({ status: 'warn', values: { early: false } });
    expect(find('head').cure).toContain('buffering');
  });
});

describe('what is in the way', () => {
  test('an upstream that refuses: exit 1, and the cure', async () => {
    const port = await freePort();
    const { status, ok, find } = await doctor(['--upstream', `http://127.0.0.1:${port}`]);
    expect([status, ok]).toEqual([1, false]);
    expect(find('upstream')).toMatchObject({ status: 'fail' });
    expect(find('upstream').cure).toContain('start the engine');
  });

  test('a key that is wanted is asked for, and one that is given is shown nowhere', async () => {
    const asked: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"type":"auth"}}');
    });
    const upstream = ['--upstream', `http://127.0.0.1:${await listening(server)}`];
    expect((await doctor(upstream)).find('stream')).toMatchObject({
      status: 'warn',
      cure: expect.stringMatching('--key-env'),
    });
    const secret = 'sk-canary-1234567890';
    const { stdout, stderr } = await rubato(['doctor', ...FREE, ...upstream, '--key-env', 'A_KEY'], { A_KEY: secret });
    expect(asked).toContain(`Bearer ${secret}`);
    expect(stdout + stderr).not.toContain(secret);
  });

  test('a port that is taken', async () => {
    const port = await listening(createServer());
    const place = `127.0.0.1:${port}`;
    const { stdout } = await rubato(['doctor', '--no-request', '--upstream', `http://${place}`, '--admin', place]);
    expect(stdout).toContain(`--admin ${place} cannot be had: EADDRINUSE`);
  });

  test('a collector that refuses, and one that takes', async () => {
    const refusing = await listening(createHttpServer((_, response) => response.writeHead(403).end('no')));
    const taking = await listening(createHttpServer((_, response) => response.writeHead(200).end()));
    const upstream = ['--no-request', '--upstream', await engine({})];
    const endpoint = (port: number): Record<string, string> => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    expect((await doctor(upstream, endpoint(refusing))).find('collector').status).toBe('warn');
    expect((await doctor(upstream, endpoint(taking))).find('collector')).toMatchObject({ status: 'ok' });
    expect((await doctor([...upstream, '--strict'], endpoint(refusing))).status).toBe(1);
    expect((await doctor(upstream)).find('collector').status).toBe('note');
  });
});

/** An upstream that lists no models and answers every POST so. */
async function answering(reply: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume();
    if (request.method === 'POST') reply(request, response);
    else response.writeHead(404).end();
  });
  open.push(() => new Promise((resolve) => void resolve(server.closeAllConnections())));
  return `http://127.0.0.1:${await listening(server)}`;
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const TOKEN = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const ENDED = `${TOKEN}data: [DONE]\n\n`;
const NO_METRICS = ['--engine-metrics', 'off'];

describe('a stream that does not come', () => {
  test('an answer in one piece is called one', async () => {
    const url = await answering((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}');
    });
    const stream = (await doctor([...NO_METRICS, '--upstream', url])).find('stream');
    expect(stream.status).toBe('warn');
    expect(stream.says).toContain('/v1/chat/completions: 200, an answer in one piece');
  });

  test('an upstream that never answers, and one that never ends, are told by the time that was waited', async () => {
    const silent = ['--upstream', await answering(() => undefined)];
    const endless = [
      '--upstream',
      await answering((_, response) => void response.writeHead(200, EVENT_STREAM).write(TOKEN)),
    ];
    const brief = [...NO_METRICS, '--answer-max', '1'];
    const [unanswered, unended] = await Promise.all([doctor([...brief, ...silent]), doctor([...brief, ...endless])]);
    expect(unanswered.find('stream').says).toContain('no answer within 1 s');
    expect(unended.find('stream').says).toContain('no end of it within 1 s');
    expect(unended.find('stream').cure).toContain('--answer-max');
  });

  test('a path that is not there may be a model that is not: the cure names both flags', async () => {
    const url = await answering((_, response) => void response.writeHead(404).end('{}'));
    const { cure } = (await doctor([...NO_METRICS, '--upstream', url])).find('stream');
    expect(cure).toContain('--path');
    expect(cure).toContain('--model');
  });

  test('where every route has a prefix, the APIs are looked for below the prefixes', async () => {
    const asked: string[] = [];
    const url = await answering((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/team/v1/chat/completions') response.writeHead(200, EVENT_STREAM).end(ENDED);
      else response.writeHead(404).end();
    });
    const folder = await mkdtemp(join(tmpdir(), 'rubato-doctor-'));
    open.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'rubato.yaml');
    await writeFile(file, `engine-metrics: off\nroutes:\n  - { name: team, prefix: /team/v1, upstream: "${url}" }\n`);
    const { find } = await doctor(['--config', file]);
    expect(find('stream')).toMatchObject({ status: 'ok', values: { path: '/team/v1/chat/completions' } });
    expect(new Set(asked)).toEqual(new Set(['/team/v1/chat/completions']));
  });
});

test('a key in a query is shown nowhere, and neither is a password in a URL that is refused', async () => {
  const secret = 'canary-0987654321';
  const url = await answering((_, response) => void response.writeHead(200, EVENT_STREAM).end(ENDED));
  const place = ['doctor', ...FREE, '--upstream', url, '--path', `/v1/chat/completions?key=${secret}`];
  const plain = await rubato([...place, '--engine-metrics', `${url}/metrics?token=${secret}`]);
  const json = await rubato([...place, '--json', '--engine-metrics', `${url}/metrics?token=${secret}`]);
  const refused = await rubato([...place, '--engine-metrics', url.replace('//', `//user:${secret}@`)]);
  expect([plain.status, json.status, refused.status]).toEqual([0, 0, 64]);
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: true });
  for (const { stdout, stderr } of [plain, json, refused]) expect(stdout + stderr).not.toContain(secret);
});

test('with --json faults of the configuration are JSON too', async () => {
  const { status, stdout, stderr } = await rubato(['doctor', '--json', '--upstream', 'nonsense']);
  expect(status).toBe(64);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, findings: [{ check: 'configuration', status: 'fail' }] });
  expect(stderr).toContain('--upstream');
});

describe('spans of the engine', () => {
  test('are waited for where --otlp-listen says, and confirm that traceparent is honoured', async () => {
    const port = await freePort();
    const spans = exportEngineSpans('http/protobuf', `http://127.0.0.1:${port}`);
    open.push(() => spans.stop());
    const url = await engine({ persona: 'vllm', signals: { inBand: false }, onSpans: spans.onSpans });
    const { find } = await doctor(['--otlp-listen', `127.0.0.1:${port}`, '--upstream', url]);
    expect(find('traceparent').status).toBe('ok');
    expect(find('evidence')).toMatchObject({ status: 'ok', values: { basis: 'exact', sources: 'engine-spans' } });
  });

  test('are not asked for where somebody listens already', async () => {
    const port = await listening(createServer());
    const url = await engine({ persona: 'llamacpp' });
    const { status, find } = await doctor(['--otlp-listen', `127.0.0.1:${port}`, '--upstream', url]);
    expect(status).toBe(0);
    expect(find('evidence').status).toBe('ok');
  });
});

test('sends nothing with --no-request, and says what it could not look at', async () => {
  let requestCount = 0;
  const port = await listening(
    createHttpServer((_, response) => {
      requestCount += 1;
      response.writeHead(404).end();
    }),
  );
  const { find } = await doctor(['--no-request', '--engine-metrics', 'off', '--upstream', `http://127.0.0.1:${port}`]);
  expect(requestCount).toBe(0);
  expect(find('stream').status).toBe('skip');
  expect(find('evidence').status).toBe('skip');
});

test('faults of flags are told as everywhere, exit 64', async () => {
  const { status, stderr } = await rubato([
    'doctor',
    '--upstream',
    'localhost',
    '--key-env',
    'NOT_THERE',
    '--answer-max',
    '0',
  ]);
  expect(status).toBe(64);
  expect(stderr).toContain('--key-env: there is no variable NOT_THERE.');
  expect(stderr).toContain('--answer-max');
  expect(stderr).toContain('localhost');
});
