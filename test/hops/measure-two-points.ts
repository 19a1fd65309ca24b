// Runs every recipe between two looks of one rubato and writes what it said, beside what raw sockets saw, to
// two-points.json and to README.md of this folder. Names on the command line limit it to recipes that begin so.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadHops, type HopChoice } from '../../src/client/hops/load.ts';
import { HopMissing, hopVersion } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { Chain } from './two-points/chain.ts';
import { compare } from './two-points/compare.ts';
import { chainTable, type ChainResult } from './two-points/results.ts';
import { writeBetweenMarks } from './write-between-marks.ts';

const RESULTS = join(import.meta.dirname, 'two-points.json');
const README = join(import.meta.dirname, 'README.md');

async function measure(hop: HopChoice): Promise<ChainResult[]> {
  await hopVersion(hop, HOPS_ENV);
  const chain = await Chain.start(hop);
  const results: ChainResult[] = [];
  try {
    // The first request pays for what a gateway does only once.
    await chain.warmUp();
    for (const rhythm of RHYTHMS) {
      const { variant, name } = hop;
      const comparison = compare(await chain.run(rhythm), variant);
      const way = variant.way === undefined ? {} : { expectedWay: variant.way };
      const load = loadavg()[0] ?? 0;
      results.push({ name, rhythm: rhythm.name, expected: variant.word, ...way, ...comparison, load });
    }
  } finally {
    await chain.stop();
  }
  return results;
}

function earlier(): ChainResult[] {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as ChainResult[];
  } catch {
    return []; // The first run.
  }
}

const wanted = process.argv.slice(2);
const results = Map.groupBy(earlier(), ({ name }) => name);
for (const hop of loadHops()) {
  if (wanted.length > 0 && !wanted.some((prefix) => hop.name.startsWith(prefix))) continue;
  try {
    const own = await measure(hop);
    results.set(hop.name, own);
    for (const { rhythm, twoGrade, two, oneGrade, one } of own) {
      process.stdout.write(`${hop.name} ${rhythm}: two ${twoGrade} ${two.word}, one ${oneGrade} ${one.word}\n`);
    }
  } catch (error) {
    if (error instanceof HopMissing) sayNotTested(hop.name, error.message);
    else process.stdout.write(`${hop.name} FAILED: ${(error as Error).message}\n`);
  }
}
const inOrder = loadHops().flatMap(({ name }) => results.get(name) ?? []);
writeFileSync(RESULTS, `${JSON.stringify(inOrder, undefined, 1)}\n`);
writeBetweenMarks(README, chainTable(inOrder), 'measure:two-points');
