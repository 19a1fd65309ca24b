// Goal: the probe names what a real proxy does to a stream and its cure, within seconds, and clears it once cured.
// Method: the real command against products started by their recipes, before the reference engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findHop } from '../../src/client/hops/load.ts';
import { hopVersion, startHop } from '../../src/client/hops/start.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { runCli } from '../unit/cli/fake-io.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';

const PROBE_MAX_MS = 10_000;

let engine: ReferenceEngine;
beforeAll(async () => {
  engine = await startReferenceEngine();
});
afterAll(() => engine.close());

async function isInstalled(name: string): Promise<boolean> {
  try {
    await hopVersion(findHop(name), HOPS_ENV);
    return true;
  } catch (error) {
    sayNotTested(`the probe against ${name}`, (error as Error).message);
    return false;
  }
}

async function probe(name: string): Promise<{ exitCode: number; out: string; tookMs: number }> {
  const hop = await startHop(findHop(name), { upstreamPort: engine.port, env: HOPS_ENV });
  const startMs = performance.now();
  try {
    // The default request, as a user sends it.
    const { exitCode, out } = await runCli(['probe', `http://127.0.0.1:${hop.port}`]);
    return { exitCode, out, tookMs: performance.now() - startMs };
  } finally {
    await hop.stop();
  }
}

describe.skipIf(!(await isInstalled('nginx/default')))('nginx', () => {
  test('that buffers is held by size, with its cure, in under ten seconds', async () => {
    const { exitCode, out, tookMs } = await probe('nginx/default');
    expect(exitCode, out).toBe(1);
    expect(out).toContain('HELD');
    expect(out).toContain('until so many bytes are there');
    expect(out).toContain('→ nginx: `proxy_buffering off;`');
    expect(tookMs).toBeLessThan(PROBE_MAX_MS);
  });

  test('with buffering off passes', async () => {
    const { exitCode, out } = await probe('nginx/buffering-off');
    expect(exitCode, out).toBe(0);
  });

  test('that compresses what it buffered is held by compression', async () => {
    const { exitCode, out } = await probe('nginx/gzip-buffered');
    expect(exitCode, out).toBe(1);
    expect(out).toContain('until the compressor has a block');
  });
});

describe.skipIf(!(await isInstalled('caddy/default')))('Caddy', () => {
  test('passes', async () => {
    const { exitCode, out } = await probe('caddy/default');
    expect(exitCode, out).toBe(0);
  });

  test('with a buffer is held until the end', async () => {
    const { exitCode, out } = await probe('caddy/buffer');
    expect(exitCode, out).toBe(1);
    expect(out).toContain('until the answer is over');
  });
});
