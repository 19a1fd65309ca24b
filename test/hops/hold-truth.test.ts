// Goal: what rubato calls the hold of a text is what the kernel saw between the packet that brought it to the hop and
// the one that brought it out. Method: client → edge → a hop → main listener → engine, and a process beside it that
// looks at the packets on both sides of the hop; bounds have one side only.
import { availableParallelism, loadavg } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadHops } from '../../src/client/hops/load.ts';
import { hopVersion } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { PacketTap } from './truth/packet-tap.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { Chain } from './two-points/chain.ts';
import { compare } from './two-points/compare.ts';

/** Of 95 texts in a hundred. Where others have the processors, our own stamps wait for them as well. */
const OFF_MOST_MS = 2;
const OFF_MOST_BUSY_MS = 10;
/** One that passes, and each way of holding that keeps text for a long time and a short one. */
const NAMES = ['node-gateway/pass', 'node-gateway/size-1k', 'node-gateway/timer', 'node-gateway/until-end'];
const PRODUCTS = ['nginx/default', 'haproxy/default'];

const tap = await PacketTap.start([1]);
await tap?.stop();
if (tap === undefined) sayNotTested('hold times against the kernel’s', 'this machine does not let packets be seen');

const hops = loadHops().filter(({ name }) => [...NAMES, ...PRODUCTS].includes(name));
const there: string[] = [];
for (const hop of hops) {
  try {
    await hopVersion(hop, HOPS_ENV);
    there.push(hop.name);
  } catch (error) {
    sayNotTested(`hold times of ${hop.name}`, (error as Error).message);
  }
}

describe.skipIf(tap === undefined).each(hops.filter(({ name }) => there.includes(name)))('$name', (hop) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await Chain.start(hop, true);
    await chain.warmUp();
  });
  afterAll(() => chain?.stop());

  test.each(RHYTHMS)('$title', async (rhythm) => {
    const { wire } = compare(await chain.run(rhythm), hop.variant);
    const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
    expect(wire?.errorP95Ms).toBeLessThan(isBusy ? OFF_MOST_BUSY_MS : OFF_MOST_MS);
  });
});
