// Goal: a proxy's duties as HTTP's specifications state them (RFC 9110, RFC 9112), judged by somebody
// else's client and server. Method: varnishtest, the test program of Varnish, plays both sides from the
// scripts in test/conformance/http/, with rubato between them as a process of its own.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { Sidecar } from '../support/sidecar.ts';
import { say } from './judge/missing.ts';

const SCRIPTS = new URL('../conformance/http/', import.meta.url).pathname;
/** Limit of one script; the slowest takes half a second. */
const SCRIPT_SECONDS = 15;

const isThere = spawnSync('varnishtest', ['-h']).error === undefined;
if (!isThere) say('!!!!!!!! NOT TESTED with varnishtest: it is not installed (Debian package varnish) !!!!!!!!');

function run(
  script: string,
  ports: readonly [engine: number, rubato: number],
): Promise<{ code: number | null; log: string }> {
  const [engine, rubato] = ports;
  const args = ['-v', '-t', String(SCRIPT_SECONDS), '-D', `engine=${engine}`, '-D', `rubato=${rubato}`];
  return new Promise((resolve, reject) => {
    const child = spawn('varnishtest', [...args, join(SCRIPTS, script)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    child.on('error', reject).on('close', (code) => resolve({ code, log }));
  });
}

describe.skipIf(!isThere)('varnishtest drives rubato', () => {
  let sidecar: Sidecar | undefined;
  let enginePort = 0;

  beforeAll(async () => {
    enginePort = await freePort();
    sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${enginePort}` });
  });
  afterAll(() => sidecar?.stop());

  test.each(readdirSync(SCRIPTS).filter((name) => name.endsWith('.vtc')))('%s', async (script) => {
    const { code, log } = await run(script, [enginePort, sidecar!.listenPort]);
    // The last lines say which expectation of the script failed, and on what bytes.
    expect(code, log.split('\n').slice(-60).join('\n')).toBe(0);
    expect(sidecar!.fault).toBeUndefined();
  });
});
