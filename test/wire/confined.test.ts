// Goal: rubato runs where the manifests in deploy/ put it: as a user of its own, without any capability,
// forbidden to gain new ones, on a root that nobody can write to. Method: the process in a mount namespace
// of its own with everything read-only, its rights dropped by setpriv, and a stream through it.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTheEnd } from '../support/children.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { poll } from '../support/signal.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const USER_ID = 65_532;

/** In the namespace: every mount read-only, then the user without rights. */
const CONFINED = `
set -e
mount --make-rprivate /
for at in $(findmnt --raw --noheadings --output TARGET --types nosysfs,noproc,nocgroup2,nocgroup | tac); do
  mount -o remount,bind,ro "$at" 2>/dev/null || true
done
if touch "$PROBE" 2>/dev/null; then exit 90; fi
exec setpriv --reuid ${USER_ID} --regid ${USER_ID} --clear-groups --inh-caps=-all --ambient-caps=-all \\
  --bounding-set=-all --no-new-privs -- "$@"
`;

function confine(command: readonly string[]): [string, string[]] {
  return ['unshare', ['--mount', 'bash', '-c', CONFINED, 'confined', ...command]];
}

/** Root and namespaces are not to be had everywhere, nor a Node that others may run. */
function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can confine a process so';
  const [command, args] = confine([NODE, '--version']);
  const tried = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, PROBE } });
  return tried.status === 0 ? undefined : `it cannot be done here (${tried.status} ${tried.stderr?.trim() ?? ''})`;
}

const NODE = `${ROOT}node_modules/.bin/node`;
const PROBE = `${ROOT}.probe-of-a-read-only-root`;
const reason = whyNot();
if (reason !== undefined) process.stderr.write(`!!!!!!!! NOT TESTED on a read-only root: ${reason} !!!!!!!!\n`);

describe.skipIf(reason !== undefined)('on a read-only root, without rights', () => {
  let engine: RawEngine;
  let child: ReturnType<typeof spawn>;
  let log = '';
  let release: () => void;
  const kill = (): boolean => child.kill('SIGKILL');

  beforeAll(async () => {
    engine = await RawEngine.start();
    const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--engine-metrics', 'off'];
    const serve = [NODE, `${ROOT}src/main.ts`, 'serve', '--upstream', `http://127.0.0.1:${engine.port}`, ...ports];
    const [command, args] = confine(serve);
    child = spawn(command, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], PROBE },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    release = atTheEnd(kill);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await poll('rubato to listen', () => (log.includes('rubato is listening') ? true : undefined), 20_000);
  });
  afterAll(async () => {
    release();
    kill();
    await engine.stop();
  });

  const portOf = (what: string): number => Number(new RegExp(`"${what}":"[^"]*:(\\d+)"`).exec(log)?.[1]);

  test('has no rights at all', () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\s+${USER_ID}\\s`, 'm'));
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  });

  test('forwards, answers its admin port, and complains of nothing', async () => {
    engine.plan([at(0, HEAD, c(D('a')), c(DONE), END)]);
    const client = await RawClient.open(portOf('listen'));
    client.request(chatRequest({ model: 'm' }));
    expect((await client.response()).complete).toBe(true);
    client.close();
    const health = await fetch(`http://127.0.0.1:${portOf('admin')}/healthz`);
    expect(health.status).toBe(200);
    const complaints = log.split('\n').filter((line) => line !== '' && !line.includes('"level":"info"'));
    expect(complaints).toEqual([]);
  });
});
