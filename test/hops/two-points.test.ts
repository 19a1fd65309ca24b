// Goal: with rubato on both sides of a real hop its verdict is right, or it says that it does not know; nothing is
// ever called a hold that is none, in front of the hop or behind it. Method: client → edge → the real product →
// main listener → engine, raw sockets at both ends. Products that are not installed are named aloud.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadHops, type HopChoice } from '../../src/client/hops/load.ts';
import { hopVersion } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { Chain } from './two-points/chain.ts';
import { compare } from './two-points/compare.ts';

const installed: HopChoice[] = [];
const missing = new Set<string>();
for (const hop of loadHops()) {
  if (missing.has(hop.recipe.product)) continue;
  try {
    await hopVersion(hop, HOPS_ENV);
    installed.push(hop);
  } catch (error) {
    missing.add(hop.recipe.product);
    sayNotTested(`two looks at ${hop.recipe.title}`, (error as Error).message);
  }
}

describe.each(installed)('$name', (hop) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await Chain.start(hop);
    await chain.warmUp();
  });
  afterAll(() => chain?.stop());

  test.each(RHYTHMS)(`${hop.variant.word} $title`, async (rhythm) => {
    const { two, twoGrade, one, oneGrade, innerWord, pairedBy } = compare(await chain.run(rhythm), hop.variant);
    expect(pairedBy).toBeDefined();
    expect(innerWord).not.toBe('holds');
    // What was found goes into the message of a failure.
    expect([twoGrade, two]).not.toEqual(['wrong', two]);
    expect([oneGrade, one]).not.toEqual(['wrong', one]);
    if (hop.variant.word === 'holds' && rhythm.name === 'steady') {
      expect([two.word, two]).toEqual(['holds', two]);
    }
  });
});
