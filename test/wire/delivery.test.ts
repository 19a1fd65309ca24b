// Goal: a sidecar says of each stream what its arrivals say of hops on the engine's side, in the record file, the
// API and the metric alike, and replay comes to the same. Method: reference engine → small gateway → sidecar.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import type { Report } from '../../src/judge/report.ts';
import { type Holding, startHoldingGateway } from '../support/holding-gateway.ts';
import { Sidecar } from '../support/sidecar.ts';
import { runCli } from '../unit/cli/fake-io.ts';

let engine: ReferenceEngine;
const open: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  engine = await startReferenceEngine();
});
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
  await engine.close();
});

async function streamThrough(holding: Holding): Promise<{ sidecar: Sidecar; report: Report }> {
  const gateway = await startHoldingGateway(engine.url, holding);
  open.push(gateway);
  const sidecar = await Sidecar.start({ upstream: gateway.url });
  open.push(sidecar);
  const messages = [{ role: 'user', content: 'Tell me a long story.' }];
  const body = JSON.stringify({ model: 'reference-small', messages, stream: true, max_tokens: 200 });
  await sendRequest({ url: `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`, body });
  const { record } = await sidecar.record('the stream', ({ answer }) => answer.streamed);
  const answer = await fetch(`http://127.0.0.1:${sidecar.adminPort}/api/streams/${record.id}`);
  return { sidecar, report: (await answer.json()) as Report };
}

test('held by size: in the API, the metric and the record file, and the same when replayed', async () => {
  const { sidecar, report } = await streamThrough({ way: 'size', bytes: 4096 });
  expect(report.delivery).toMatchObject({ word: 'holds', way: 'size', numbers: { blockBytes: 4096 } });
  const counted = (await sidecar.metrics()).filter(({ name, value }) => name === 'rubato_delivery_total' && value > 0);
  expect(counted.map(({ labels, value }) => [labels['verdict'], labels['way'], value])).toEqual([['holds', 'size', 1]]);
  const { exitCode, out } = await runCli(['replay', '--json', sidecar.recordFile]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ equal: true, delivery: { word: 'holds', way: 'size' } });
});

test('nothing held: passes', async () => {
  const { report } = await streamThrough({ way: 'pass' });
  expect(report.delivery).toMatchObject({ word: 'passes' });
});
