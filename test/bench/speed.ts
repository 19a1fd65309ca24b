// `npm run bench -- speed`: rubato beside what a user would pick instead, in turns of one run. Prints Markdown, leaves
// it with JSON and a plot in results/, and ends with 1 when a target was missed.
//   --scenario a,d    --contender nginx,rubato    --turns 5    --quick
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { machineText, progress } from './harness/report.ts';
import { short } from './harness/stats.ts';
import { ENTRANTS } from './speed/contenders.ts';
import { readOptions, type SpeedOptions } from './speed/options.ts';
import { panelsOf } from './speed/panels.ts';
import { barsSvg } from './speed/plot.ts';
import { SCENARIOS } from './speed/scenarios/table.ts';
import { judge } from './speed/targets.ts';
import { markdownOf } from './speed/text.ts';
import { playTurns } from './speed/turns.ts';

const RESULTS = new URL('./results/', import.meta.url);

function optionsOrExit(): SpeedOptions {
  const all = { scenarios: SCENARIOS.map(({ letter }) => letter), contenders: ENTRANTS.map(({ key }) => key) };
  try {
    return readOptions(process.argv.slice(2), all);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(64);
  }
}

const options = optionsOrExit();
const entrants = ENTRANTS.filter(({ key }) => options.contenders.includes(key));
const scenarios = SCENARIOS.filter(({ letter }) => options.scenarios.includes(letter));
const before = loadavg()[0] ?? NaN;
const { results, notes } = await playTurns({ ...options, entrants, scenarios });
const judgements = judge(results);
const report = {
  machine: machineText(),
  loadText: `${options.turnCount} turns, load average ${short(before)} before and ${short(loadavg()[0] ?? NaN)} after.`,
  titles: Object.fromEntries(scenarios.map(({ letter, title }) => [letter, title])),
  contenders: entrants.map(({ key, title }) => ({ key, title })),
  results,
  judgements,
  notes,
};
const markdown = markdownOf(report);
mkdirSync(RESULTS, { recursive: true });
writeFileSync(new URL('speed.md', RESULTS), markdown);
writeFileSync(new URL('speed.json', RESULTS), `${JSON.stringify(report, undefined, 1)}\n`);
writeFileSync(new URL('speed.svg', RESULTS), barsSvg(panelsOf(results, report.contenders), short));
process.stdout.write(markdown);
progress('written to test/bench/results/speed.{md,json,svg}');
process.exitCode = judgements.some(({ word }) => word === 'MISS') ? 1 : 0;
