// Runs every recipe between two looks of one rubato and writes what it said, beside what raw sockets and the kernel
// saw, to two-points.json and to README.md of this folder. Names on the command line limit it to recipes that begin
// so; `--resume` leaves out what ran within the last two hours; `--again` runs nothing and asks the rules once more
// about what was kept. About fifteen seconds a recipe.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadHops, type HopChoice } from '../../src/client/hops/load.ts';
import { HopMissing, hopVersion } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { Chain } from './two-points/chain.ts';
import { compare } from './two-points/compare.ts';
import { forget, keep, kept, keptAgeMs } from './two-points/kept.ts';
import { chainTable, type ChainResult } from './two-points/results.ts';
import { writeBetweenMarks } from './write-between-marks.ts';

const RESULTS = join(import.meta.dirname, 'two-points.json');
const README = join(import.meta.dirname, 'README.md');
const RECENT_MS = 2 * 3_600_000;

async function run(hop: HopChoice): Promise<void> {
  await hopVersion(hop, HOPS_ENV);
  for (const rhythm of RHYTHMS) forget(hop, rhythm);
  const chain = await Chain.start(hop, true);
  try {
    // The first request pays for what a gateway does only once.
    await chain.warmUp();
    for (const rhythm of RHYTHMS) {
      keep(hop, rhythm, { ...(await chain.run(rhythm)), load: loadavg()[0] ?? 0 });
    }
  } finally {
    await chain.stop();
  }
}

/** What the rules say of what was kept. */
function judged(hop: HopChoice): ChainResult[] {
  const { name, variant } = hop;
  const way = variant.way === undefined ? {} : { expectedWay: variant.way };
  return RHYTHMS.flatMap((rhythm) => {
    const sights = kept(hop, rhythm);
    if (sights === undefined) return [];
    const { load } = sights;
    return [{ name, rhythm: rhythm.name, expected: variant.word, ...way, ...compare(sights, variant), load }];
  });
}

function say({ name, rhythm, twoGrade, two, oneGrade, one, wire, load }: ChainResult, at: string): void {
  const error = wire === undefined ? '' : `, hold off by ${wire.errorP50Ms} / ${wire.errorP95Ms} ms`;
  const words = `two ${twoGrade} ${two.word} (${two.signs.join(', ')}), one ${oneGrade} ${one.word} (${one.signs.join(', ')})`;
  process.stdout.write(`${at} ${name} ${rhythm}: ${words}${error}, load ${load.toFixed(1)}\n`);
}

function earlier(): ChainResult[] {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as ChainResult[];
  } catch {
    return []; // The first run.
  }
}

/** After each recipe, so that a run that is stopped has lost nothing. */
function write(results: ReadonlyMap<string, readonly ChainResult[]>): void {
  const inOrder = loadHops().flatMap(({ name }) => results.get(name) ?? []);
  writeFileSync(RESULTS, `${JSON.stringify(inOrder, undefined, 1)}\n`);
  writeBetweenMarks(README, chainTable(inOrder), 'measure:two-points');
}

const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')));
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const results = Map.groupBy(earlier(), ({ name }) => name);
const hops = loadHops().filter(({ name }) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)));
for (const [index, hop] of hops.entries()) {
  const isRecent = flags.has('--resume') && RHYTHMS.every((rhythm) => keptAgeMs(hop, rhythm) < RECENT_MS);
  try {
    if (!flags.has('--again') && !isRecent) await run(hop);
    const own = judged(hop);
    for (const result of own) say(result, `${index + 1}/${hops.length}`);
    if (own.length > 0) results.set(hop.name, own);
    write(results);
  } catch (error) {
    if (error instanceof HopMissing) sayNotTested(hop.name, error.message);
    else process.stdout.write(`${hop.name} FAILED: ${(error as Error).message}\n`);
  }
}
