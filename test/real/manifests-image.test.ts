// Goal: the image that the Dockerfile describes has all that rubato needs, and serves streams, figures and its page.
// Method: what the Dockerfile says is done in folders, for there is no Docker everywhere; the last stage is then run as
// it says, and asked by its own HEALTHCHECK.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { atTheEnd } from '../support/children.ts';
import { NODE } from '../support/program.ts';
import { poll } from '../support/signal.ts';
import { orMissing } from './judge/missing.ts';
import { askStream, type CountingEngine, startCountingEngine } from './manifests/counting-engine.ts';
import { buildImage, type Image } from './manifests/image.ts';

const BUILD_CAP_MS = 8 * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'rubato-image-'));
const image = await orMissing('image', () => buildImage(folder, Date.now() + BUILD_CAP_MS));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(image === undefined)('the image', () => {
  const { root, env, entrypoint, command, healthcheck } = image ?? ({} as Image);
  const inside = (words: readonly string[]): string[] =>
    words.map((word) => (word === '/nodejs/bin/node' ? NODE : word.startsWith('/rubato/') ? join(root, word) : word));

  let engine: CountingEngine;
  let ports: { listen: number; admin: number };
  let settings: NodeJS.ProcessEnv;
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });

  beforeAll(async () => {
    engine = await startCountingEngine();
    ends.push(() => engine.close());
    ports = { listen: await freePort(), admin: await freePort() };
    settings = {
      PATH: process.env['PATH'],
      ...env,
      RUBATO_UPSTREAM: `http://127.0.0.1:${engine.port}`,
      // Not all addresses, as in a container: this is no container.
      RUBATO_LISTEN: `127.0.0.1:${ports.listen}`,
      RUBATO_ADMIN: `127.0.0.1:${ports.admin}`,
    };
    const [program = '', ...args] = inside([...entrypoint, ...command]);
    const child = spawn(program, args, { cwd: join(root, 'rubato'), env: settings, stdio: 'ignore' });
    const release = atTheEnd(() => child.kill('SIGKILL'));
    ends.push(() => {
      release();
      child.kill('SIGKILL');
    });
    const ready = async (): Promise<true | undefined> =>
      (await fetch(`http://127.0.0.1:${ports.admin}/readyz`).catch(() => undefined))?.ok === true ? true : undefined;
    await poll('the image to be ready', ready, 30_000, 100);
  });

  test('is healthy by its own question, and would not be on another port', () => {
    const [program = '', ...args] = inside(healthcheck);
    expect(spawnSync(program, args, { env: settings }).status).toBe(0);
    expect(spawnSync(program, args, { env: { ...settings, RUBATO_ADMIN: '127.0.0.1:9' } }).status).toBe(1);
  });

  test('passes a stream', async () => {
    const { status, isWhole, text } = await askStream({ port: ports.listen, id: 'image', events: 5 });
    expect([status, isWhole, text.match(/word/g)?.length]).toEqual([200, true, 5]);
  });

  test('serves its page', async () => {
    const page = await fetch(`http://127.0.0.1:${ports.admin}/`);
    expect(page.status).toBe(200);
    const asset = /(?:src|href)="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '';
    expect((await fetch(`http://127.0.0.1:${ports.admin}${asset}`)).status).toBe(200);
  });

  test('has the engine that comes along, and its load', () => {
    const [program = '', ...args] = inside(entrypoint);
    const { status, stdout } = spawnSync(program, [...args, 'demo', '--help'], { encoding: 'utf8', env: settings });
    expect(status).toBe(0);
    expect(stdout).toContain('--engine-only');
  });

  test('has neither a compiler nor tests', () => {
    const packages = readdirSync(join(root, 'rubato/node_modules'));
    expect(packages).toContain('fastify');
    expect(packages.filter((name) => ['typescript', '@typescript', 'vitest', 'vite', 'preact'].includes(name))).toEqual(
      [],
    );
    expect(readdirSync(join(root, 'rubato')).toSorted()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
  });
});
