// Many streams through every configuration that does not hold, side by side, and how often somebody was accused
// of holding them: by one point in front of the hop, by one behind it, by two. Writes the sums to README.md of
// this folder. Names on the command line limit it to recipes that begin so. About twenty seconds a recipe.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadHops, type HopChoice } from '../../src/client/hops/load.ts';
import { HopMissing, hopVersion } from '../../src/client/hops/start.ts';
import { judgeDelivery } from '../../src/judge/delivery/rules.ts';
import { judgeHop } from '../../src/judge/hop/judge-hop.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { Chain } from './two-points/chain.ts';
import { writeBetweenMarks } from './write-between-marks.ts';

/** Streams at once: as many as a small deployment has, and few enough for the machine to keep the rhythm. */
const SIDE_BY_SIDE = 20;
const VIEWS = ['two points', 'one point in front', 'one point behind'] as const;
type View = (typeof VIEWS)[number];

const words = new Map<View, Map<string, number>>(VIEWS.map((view) => [view, new Map()]));
const accusations: string[] = [];
const hops = new Set<string>();
let streamCount = 0;

function count(
  view: View,
  name: string,
  verdict: { word: string; way?: string; signs: readonly string[] } | undefined,
): void {
  // Why somebody is unsure is worth as much as that.
  const word = verdict?.word === 'unsure' ? `unsure (${verdict.signs[0] ?? 'no sign'})` : (verdict?.word ?? 'nothing');
  const counts = words.get(view)!;
  counts.set(word, (counts.get(word) ?? 0) + 1);
  if (word !== 'holds') return;
  accusations.push(`${view}, ${name}: ${verdict?.way} (${verdict?.signs.join(', ')})`);
}

function judge(name: string, outer: readonly StreamRecord[], inner: readonly StreamRecord[]): void {
  hops.add(name);
  streamCount += outer.length;
  for (const record of outer) {
    count('two points', name, judgeHop(record));
    count('one point in front', name, judgeDelivery(record));
  }
  for (const record of inner) count('one point behind', name, judgeDelivery(record));
}

async function runAll(hop: HopChoice): Promise<void> {
  await hopVersion(hop, HOPS_ENV);
  const chain = await Chain.start(hop);
  try {
    await chain.warmUp();
    for (const rhythm of RHYTHMS) {
      const { outer, inner } = await chain.runMany(rhythm, SIDE_BY_SIDE);
      judge(`${hop.name} ${rhythm.name}`, outer, inner);
    }
  } finally {
    await chain.stop();
  }
}

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix));
const chosen = loadHops().filter(({ name, variant }) => variant.word === 'passes' && isWanted(name));
const failed: string[] = [];
for (const [index, hop] of chosen.entries()) {
  try {
    await runAll(hop);
    const sums = `${streamCount} streams so far, ${accusations.length} accusations`;
    process.stdout.write(
      `${index + 1}/${chosen.length} ${hop.name}: ${sums}, load ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
    );
  } catch (error) {
    if (error instanceof HopMissing) sayNotTested(hop.name, error.message);
    else {
      failed.push(`${hop.name}: ${(error as Error).message}`);
      process.stdout.write(`FAILED ${failed.at(-1)}\n`);
    }
  }
}

const lines = VIEWS.map((view) => {
  const said = [...(words.get(view) ?? [])].toSorted().map(([word, times]) => `${word} ${times}`);
  return `- ${view}: ${said.join(', ')}`;
});
const load = (loadavg()[0] ?? 0).toFixed(1);
const sum = `${streamCount} streams, ${SIDE_BY_SIDE} side by side, in ${hops.size} combinations of hop and rhythm (load ${load}):`;
const names = [...new Set(accusations)].join('; ');
const accused = accusations.length === 0 ? 'Nobody was accused.' : `Accused: ${names}.`;
if (failed.length > 0) lines.push(`- could not be run: ${failed.join('; ')}`);
process.stdout.write(`${[sum, ...lines, accused].join('\n')}\n`);
if (wanted.length === 0) {
  writeBetweenMarks(
    join(import.meta.dirname, 'README.md'),
    `${sum}\n\n${lines.join('\n')}\n\n${accused}\n`,
    'measure:accusations',
  );
}
