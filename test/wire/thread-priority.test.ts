// Goal: where CPU is scarce relays go first. Main, which makes figures of what they saw, gives way; they, and the spare
// behind them, do not. A relay that is started later takes its priority back where it has the right to.
// Method: nice values of all threads of a running sidecar, as the kernel tells them. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawEngine } from '../support/raw-engine.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';

const PRELOAD = new URL('../support/kill-relay.ts', import.meta.url).href;
const OWN_NICE = getPriority(0);
const GIVE_WAY_BY = 5;

/** CAP_SYS_NICE, bit 23 of the capabilities in effect: a container's root need not have it. */
function mayTakePriority(): boolean {
  if (process.platform !== 'linux') return false;
  const [, mask = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${mask}`) >> 23n) & 1n) === 1n;
}

let engine: RawEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--relays', '2'],
    nodeArgs: ['--import', PRELOAD],
  });
});
afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
});

interface Thread {
  readonly tid: number;
  readonly name: string;
  readonly nice: number;
}

function threads(): Thread[] {
  const folder = `/proc/${sidecar.pid}/task`;
  return readdirSync(folder).flatMap((tid) => {
    try {
      const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`${folder}/${tid}/stat`, 'utf8')) ?? [];
      return [{ tid: Number(tid), name, nice: Number(rest.split(' ')[16]) }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

const relays = (): Thread[] => threads().filter(({ name }) => name === 'relay');
const mainNice = (): number | undefined => threads().find(({ tid }) => tid === sidecar.pid)?.nice;

test.runIf(process.platform === 'linux')('main gives way once all relays run; nobody else does', async () => {
  await poll('main to give way', () => (mainNice() === OWN_NICE + GIVE_WAY_BY ? true : undefined));
  // A thread says its name itself.
  await poll('the spare', () => (relays().length === 3 ? true : undefined));
  expect(relays().map(({ nice }) => nice)).toEqual([OWN_NICE, OWN_NICE, OWN_NICE]);
  const others = threads().filter(({ tid }) => tid !== sidecar.pid);
  expect(others.filter(({ nice }) => nice !== OWN_NICE)).toEqual([]);
});

test.runIf(mayTakePriority())('a relay that is started after that takes its priority back', async () => {
  const before = new Set(relays().map(({ tid }) => tid));
  process.kill(sidecar.pid, 'SIGUSR2');
  const fresh = await poll('another spare', () => relays().find(({ tid }) => !before.has(tid)));
  await poll('its priority', () =>
    threads().find(({ tid }) => tid === fresh.tid)?.nice === OWN_NICE ? true : undefined,
  );
  expect(mainNice()).toBe(OWN_NICE + GIVE_WAY_BY);
});
