// Goal: the shown configuration puts LiteLLM before rubato, and the stand-ins of the shown engines are seen by rubato
// as what they speak as, with queue and prefill as deploy/examples promises. Method: the real LiteLLM with the very file,
// as far as .ci/install-hops put it here; the engines that come along, started by the command that users have.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { HOPS_ENV } from '../hops/installed.ts';
import { NODE, ROOT } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import { startListening } from './engine/listening.ts';
import { say } from './judge/missing.ts';

const ENGINE_START_MS = 20_000;
/** LiteLLM takes half a minute to load, on a machine that has nothing else to do. */
const LITELLM_START_MS = 180_000;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** The engine that comes along, speaking as `name`, with rubato before it. */
async function startBefore(name: string): Promise<Sidecar> {
  const port = await freePort();
  const engine = ['src/main.ts', 'demo', '--engine-only', `127.0.0.1:${port}`, '--engine-as', name];
  open.push(await startListening(NODE, engine, { port, waitMs: ENGINE_START_MS }));
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
  open.push(() => sidecar.stop());
  return sidecar;
}

function chat(port: number, model: string): Promise<Response> {
  const messages = [{ role: 'user', content: 'Tell me something.' }];
  const body = { model, messages, stream: true, stream_options: { include_usage: true }, max_tokens: 12 };
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify(body),
  });
}

describe('rubato before an engine that speaks as', () => {
  test.each(['vllm', 'llamacpp'])('%s has queue and prefill, exact', async (name) => {
    const sidecar = await startBefore(name);
    expect(await (await chat(sidecar.listenPort, 'reference-small')).text()).toContain('data: [DONE]');
    const { figures } = await sidecar.record('the chat', () => true);
    expect(figures).toMatchObject({ split: { basis: 'exact' } });
  });
});

const hasLitellm = spawnSync('litellm', ['--help'], { env: HOPS_ENV, stdio: 'ignore', timeout: 1 }).error;
const isMissing = (hasLitellm as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
if (isMissing) say('!!!!!!!! NOT TESTED with LiteLLM: .ci/install-hops did not put it here !!!!!!!!');

test.skipIf(isMissing)('LiteLLM streams through rubato', { timeout: 300_000 }, async () => {
  const sidecar = await startBefore('vllm');
  const folder = mkdtempSync(join(tmpdir(), 'rubato-litellm-'));
  open.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const shown = readFileSync(join(ROOT, 'deploy/examples/litellm.yaml'), 'utf8');
  expect(shown).toContain('api_base: http://127.0.0.1:8080/v1');
  const file = join(folder, 'config.yaml');
  writeFileSync(file, shown.replaceAll('127.0.0.1:8080', `127.0.0.1:${sidecar.listenPort}`));
  const port = await freePort();
  const args = ['--config', file, '--host', '127.0.0.1', '--port', String(port)];
  // Prices of models come with the package; nothing is fetched at start.
  const env = { ...HOPS_ENV, HOME: folder, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' };
  open.push(await startListening('litellm', args, { port, env, waitMs: LITELLM_START_MS }));
  const text = await (await chat(port, 'chat')).text();
  expect(text).toContain('data: [DONE]');
  const { record } = await sidecar.record('the chat', () => true);
  expect(record).toMatchObject({ end: { outcome: 'ok' } });
});
