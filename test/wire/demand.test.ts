// Goal: on the wire a retry is told from new demand, a batch job has its verdict everywhere and no id in a label, and
// every metric that `rubato rules` asks for is one that a running rubato exposes.
// Method: the sidecar as its users run it, with classes from YAML, before a reference engine and the page of an
// engine's metrics.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import type { JobReport } from '../../src/judge/job/judge-job.ts';
import type { RuleGroup } from '../../src/telemetry/rules/rule.ts';
import { configFile } from '../support/config-file.ts';
import { NODE, ROOT } from '../support/program.ts';
import { sumOf } from '../support/prometheus.ts';
import { metricsOf } from '../support/promql.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const CONFIG = `
classes:
  - { name: interactive, preset: chat }
  - name: batch
    preset: batch
    job: { deadline_s: 600, output_tokens_per_second_min: 0.001, invalid_finish_reasons: [content_filter] }
`;

/** Without a CPU quota there is nothing to tell of one. */
const NOT_EVERYWHERE = new Set(['rubato_self_cpu_throttled_seconds_total']);

const config = configFile(CONFIG);
/** What a vLLM publishes that rules ask for. */
const PAGE = [
  'num_requests_running 0',
  'generation_tokens_total 9',
  'kv_cache_usage_perc 0.5',
  'num_preemptions_total 0',
]
  .map((sample) => `vllm:${sample}\n`)
  .join('');

let engine: ReferenceEngine;
let metricsPage: Server;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await startReferenceEngine({ persona: 'vllm', models: ['m'] });
  metricsPage = createServer((_, response) => void response.setHeader('content-type', 'text/plain').end(PAGE));
  await new Promise<void>((resolve) => metricsPage.listen(0, '127.0.0.1', resolve));
  const { port } = metricsPage.address() as AddressInfo;
  const metrics = ['--engine-metrics', `http://127.0.0.1:${port}/metrics`, '--engine-metrics-interval', '0.5'];
  const args = ['--config', config, ...metrics];
  sidecar = await Sidecar.start({ upstream: engine.url, args });
});

afterAll(async () => {
  await sidecar.stop();
  await engine.close();
  metricsPage.close();
});

function chatBody(words: string, tokens = 8): string {
  return JSON.stringify({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: tokens,
    messages: [{ role: 'user', content: words }],
  });
}

async function chat(body: string, headers: Readonly<Record<string, string>> = {}) {
  const url = `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`;
  return sendRequest({ url, headers: { ...headers }, body });
}

/** A client that leaves with the first bytes of its answer. */
function leave(body: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  return new Promise((resolve) => {
    const asked = request({
      host: '127.0.0.1',
      port: sidecar.listenPort,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      agent: false,
    });
    asked.on('response', (response) => response.once('data', () => asked.destroy()));
    asked.on('error', () => undefined).on('close', () => resolve());
    asked.end(body);
  });
}

/** What the record says of what was done last. */
async function retryOfNext(act: () => Promise<unknown>) {
  const { length } = sidecar.records();
  await act();
  const [entry] = await sidecar.recordsAfter(length, 1);
  return entry?.record;
}

describe('a retry', () => {
  test('is the same body after a client that left, and the next of the same is new demand', async () => {
    const body = chatBody('the same words', 120);
    const left = await retryOfNext(() => leave(body));
    expect(left?.end.outcome).toBe('client_abort');
    const again = await retryOfNext(() => chat(body));
    expect(again?.retryOf).toMatchObject({ sign: 'body', attempt: 2, of: left?.id, first: left?.id });
    expect((await retryOfNext(() => chat(body)))?.retryOf).toBeUndefined();
    expect(sumOf(await sidecar.metrics(), 'rubato_retries_total', { reason: 'body' })).toBe(1);
  });

  test('is the same key with another body, and the key is written nowhere', async () => {
    const headers = { 'idempotency-key': 'key-4711' };
    const left = await retryOfNext(() => leave(chatBody('one', 120), headers));
    const again = await retryOfNext(() => chat(chatBody('two'), headers));
    expect(again?.retryOf).toMatchObject({ sign: 'idempotency_key', of: left?.id });
    const seen = [readFileSync(sidecar.recordFile, 'utf8'), (await sidecar.admin('/api/streams')).text];
    for (const text of seen) expect(text).not.toContain('key-4711');
  });
});

test('a job ends with its last document, and its verdict is the same wherever it stands', async () => {
  const headers = { 'x-traffic-class': 'batch', 'x-job-id': 'nightly-4711', 'x-job-size': '3' };
  await chat(chatBody('first'), headers);
  const open = await poll('an open job', async () => {
    const { open: jobs } = JSON.parse((await sidecar.admin('/api/jobs')).text) as { open: JobReport[] };
    return jobs[0];
  });
  expect(open).toMatchObject({ id: 'nightly-4711', class: 'batch', size: 3, answeredCount: 1 });
  expect(sumOf(await sidecar.metrics(), 'rubato_job_open', { class: 'batch' })).toBe(1);
  await Promise.all([chat(chatBody('second'), headers), chat(chatBody('third'), headers)]);
  const ended = await poll('an ended job', async () => {
    const { recent } = JSON.parse((await sidecar.admin('/api/jobs')).text) as { recent: JobReport[] };
    return recent[0];
  });
  expect(ended).toMatchObject({
    end: 'size',
    answeredCount: 3,
    validCount: 3,
    outputTokens: 24,
    met: { deadline: 'true', tokens_per_second: 'true', valid: 'true' },
  });
  const line = await poll('its line', () =>
    readFileSync(sidecar.recordFile, 'utf8')
      .split('\n')
      .find((each) => each.startsWith('{"job":')),
  );
  expect(JSON.parse(line)).toEqual({ job: ended });
  const page = (await sidecar.admin('/metrics')).text;
  // By its word: the digits of a number may be those of any other.
  expect(page).not.toContain('nightly');
  const samples = await sidecar.metrics();
  expect(sumOf(samples, 'rubato_job_ended_total', { class: 'batch', reason: 'size' })).toBe(1);
  expect(sumOf(samples, 'rubato_job_tokens_total', { class: 'batch' })).toBe(24);
  expect(sumOf(samples, 'rubato_job_objectives_total', { class: 'batch', met: 'true' })).toBe(3);
  const replayed = execFileSync(NODE, ['src/main.ts', 'replay', sidecar.recordFile], { cwd: ROOT, encoding: 'utf8' });
  expect(replayed).toMatch(/nightly-4711 +batch +job size/);
});

test('every metric that rules ask for is exposed', async () => {
  await chat(chatBody('many words', 80));
  const yaml = execFileSync(NODE, ['src/main.ts', 'rules', '--config', config], { cwd: ROOT, encoding: 'utf8' });
  const { groups } = parse(yaml) as { groups: readonly RuleGroup[] };
  const asked = new Set(groups.flatMap(({ rules }) => rules).flatMap(({ expr }) => metricsOf(expr)));
  for (const name of NOT_EVERYWHERE) expect(asked.delete(name)).toBe(true);
  await poll('the metrics of the engine', async () => sumOf(await sidecar.metrics(), 'rubato_engine_kv_usage_ratio'));
  const exposed = new Set((await sidecar.metrics()).map(({ name }) => name));
  expect([...asked].filter((name) => !exposed.has(name))).toEqual([]);
  expect(asked.size).toBeGreaterThan(20);
});
