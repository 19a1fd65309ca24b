// T22: when a relay's thread dies another one serves within a moment, and where there are two nobody is refused.
import { nowNs } from '../../../src/base/clock.ts';
import { largest, msOf, spreadText } from '../harness/stats.ts';
import { RawClient } from '../../support/raw-client.ts';
import { RawEngine } from '../../support/raw-engine.ts';
import { Sidecar } from '../../support/sidecar.ts';
import type { Check } from './finding.ts';
import { pause } from './ways.ts';

const PRELOAD = new URL('../../support/kill-relay.ts', import.meta.url).href;
const DEATH_COUNT = 5;
/** A spare boots behind a relay that serves. */
const SPARE_BOOT_MS = 3_000;
const BACK_MAX_MS = 300;
const ATTEMPT_COUNT = 400;

async function start(engine: RawEngine, ...args: string[]): Promise<Sidecar> {
  const upstream = `http://127.0.0.1:${engine.port}`;
  return Sidecar.start({ upstream, args, nodeArgs: ['--import', PRELOAD] });
}

const connectOnce = async (port: number): Promise<boolean> => {
  const client = await RawClient.open(port).catch(() => undefined);
  client?.close();
  return client !== undefined;
};

/** From the death of the only relay to the first connection that is taken. */
async function backNs(sidecar: Sidecar): Promise<number> {
  await pause(SPARE_BOOT_MS);
  const held = await RawClient.open(sidecar.listenPort);
  process.kill(sidecar.pid, 'SIGUSR2');
  await held.untilGone();
  while (!(await connectOnce(sidecar.listenPort))) await pause(2);
  return nowNs() - (held.finAtNs ?? held.closedAtNs ?? NaN);
}

async function refusedCount(sidecar: Sidecar): Promise<number> {
  await pause(SPARE_BOOT_MS);
  process.kill(sidecar.pid, 'SIGUSR2');
  let count = 0;
  for (let attempt = 0; attempt < ATTEMPT_COUNT; attempt += 1) {
    if (!(await connectOnce(sidecar.listenPort))) count += 1;
    await pause(2);
  }
  return count;
}

export const relayDeath: Check = {
  ids: ['T22'],
  about: `${DEATH_COUNT} deaths of a relay, alone and as one of two`,
  async run() {
    const engine = await RawEngine.start();
    const [alone, pair] = [await start(engine), await start(engine, '--relays', '2')];
    const tookMs: number[] = [];
    let refused = 0;
    for (let death = 0; death < DEATH_COUNT; death += 1) {
      tookMs.push(msOf(await backNs(alone)));
      refused += await refusedCount(pair);
    }
    await alone.stop();
    await pair.stop();
    await engine.stop();
    return [
      {
        id: 'T22',
        what: 'death of the only relay → the first connection taken, worst',
        value: largest(tookMs),
        target: BACK_MAX_MS,
        unit: 'ms',
        note: spreadText(tookMs),
      },
      {
        id: 'T22',
        what: 'connections refused when one of two dies',
        value: refused,
        target: 0,
        unit: `of ${DEATH_COUNT * ATTEMPT_COUNT}`,
      },
    ];
  },
};
