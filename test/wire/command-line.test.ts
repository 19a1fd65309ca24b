// Goal: the real process says plainly why it cannot start, with the promised exit code, starts before
// its engine does, and its record file gives the same figures again.
// Method: the program is spawned as its users do; only a port taken by this test stands in its way.
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { KEPT_CODE, NODE, ROOT } from '../support/program.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';

const UPSTREAM = ['--upstream', 'http://127.0.0.1:9'];

const open: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

function rubato(...args: string[]): { status: number | null; stdout: string; plain: string[] } {
  const env = { PATH: process.env['PATH'] ?? '', ...KEPT_CODE };
  const { status, stdout, stderr } = spawnSync(NODE, ['src/main.ts', ...args], { cwd: ROOT, env, encoding: 'utf8' });
  // Log lines are JSON; what is left is meant for people.
  const plain = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return { status, stdout, plain };
}

async function takePort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({ stop: () => new Promise((resolve) => void server.close(() => resolve())) });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('a port in use', () => {
  test.each([
    { flag: '--listen', other: '--admin' },
    { flag: '--admin', other: '--listen' },
  ])('$flag is named in one message, exit 69', async ({ flag, other }) => {
    const place = `127.0.0.1:${await takePort()}`;
    const { status, plain } = rubato('serve', ...UPSTREAM, flag, place, other, '127.0.0.1:0');
    expect(plain).toEqual([
      `rubato did not start: ${place} is in use by another program. Stop that program, or choose another port with ${flag} 127.0.0.1:PORT.`,
    ]);
    expect(status).toBe(69);
  });
});

test('a wrong configuration is told in full, exit 64', () => {
  const { status, plain, stdout } = rubato('serve', '--upstream', 'localhost:8000', '--relays', '0');
  expect(status).toBe(64);
  expect(stdout).toBe('');
  expect(plain).toHaveLength(3);
});

test('an upstream that is not up yet is a warning, and not being ready', async () => {
  const port = await takePort();
  for (const each of open.splice(0)) await each.stop();
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
  open.push(sidecar);
  await expect.poll(async () => (await sidecar.admin('/readyz')).status).toBe(503);
  expect((await sidecar.admin('/healthz')).status).toBe(200);
  expect(sidecar.logs.some(({ level, upstream }) => level === 'warn' && upstream === `http://127.0.0.1:${port}`)).toBe(
    true,
  );
});

test('a record file replays to the same figures bit for bit', async () => {
  const engine = await RawEngine.start();
  open.push(engine);
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
  open.push(sidecar);
  const steps = Array.from({ length: 30 }, (_, index) => at(20 + 5 * index, c(D(`word ${index}`))));
  for (let count = 0; count < 3; count += 1) {
    engine.plan([at(0, HEAD), ...steps, at(200, c(DONE), END)]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(chatRequest());
    await client.response();
    client.close();
  }
  await sidecar.recordsAfter(0, 3);
  const { status, stdout } = rubato('replay', sidecar.recordFile);
  expect(stdout).toContain('3 of 3 records give the same figures bit for bit.');
  expect(status).toBe(0);
});
