// Short answers that are no streams, 500 a second on a schedule that waits for nobody, scenario (e): what a request
// costs where there is nearly nothing but the request.
import { nowNs } from '../../../../src/base/clock.ts';
import { sleep } from '../../../support/signal.ts';
import { msOf, percentile } from '../../harness/stats.ts';
import { Pace } from '../../harness/pace.ts';
import { openAccount, perRequest } from '../account.ts';
import { ConnectionPool } from '../kept-connections.ts';
import type { Running } from '../contenders.ts';
import type { Scenario, Stage } from '../figures.ts';

const PER_SECOND = 500;
const RAMP_MS = 1_000;
const FOR_MS = 5_000;
/** By then whatever is done behind an answer is done. */
const AFTERMATH_MS = 500;
const NS_PER_MS = 1e6;

/** Request sent → last byte of its answer, ns, of all that were sent within so long. */
async function ask({ load }: Stage, running: Running, pool: ConnectionPool, forMs: number): Promise<number[]> {
  const pace = new Pace();
  const beganAtNs = nowNs();
  const one = async (nth: number): Promise<number> => {
    await pace.at(beganAtNs + (nth * 1_000 * NS_PER_MS) / PER_SECOND);
    const over = pool.take();
    const stream = load.open(running, { over, isWhole: true, onAnswer: () => undefined });
    await stream.ended;
    pool.giveBack(over);
    return (stream.endedAtNs ?? NaN) - stream.openedAtNs;
  };
  try {
    return await Promise.all(Array.from({ length: Math.round((PER_SECOND * forMs) / 1_000) }, (_, nth) => one(nth)));
  } finally {
    pace.stop();
  }
}

export const short: Scenario = {
  letter: 'e',
  title: `${PER_SECOND} short answers a second, no streams`,
  async play(stage, running) {
    const pool = new ConnectionPool(running.port);
    await ask(stage, running, pool, RAMP_MS);
    const close = openAccount(running.pids);
    const wholeNs = await ask(stage, running, pool, FOR_MS * stage.scale);
    await sleep(AFTERMATH_MS);
    const costs = perRequest(close(), wholeNs.length);
    pool.close();
    return { wholeP50Ms: msOf(percentile(wholeNs, 50)), wholeP99Ms: msOf(percentile(wholeNs, 99)), ...costs };
  },
};
