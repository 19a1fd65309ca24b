// `npm run bench -- ratio`: the check for CI, a minute long. Whether rubato costs so much more than a bare
// @fastify/http-proxy, in turns of the same run, that a change must have broken something. Ends with 1 then, and says
// so without failing when the machine was too busy to judge.
import { machineText, tableText } from './harness/report.ts';
import { short } from './harness/stats.ts';
import { OTHERS_MAX_CORES, ratioVerdict } from './speed/bounds.ts';
import { ENTRANTS } from './speed/contenders.ts';
import type { Scenario } from './speed/figures.ts';
import { idle } from './speed/scenarios/idle.ts';
import { paced } from './speed/scenarios/paced.ts';
import { scenarioTable, targetTable } from './speed/text.ts';
import { playTurns } from './speed/turns.ts';

const CONTENDERS = new Set(['http-proxy', 'rubato']);
const TURN_COUNT = 3;
/** Shorter than those of `speed`, so that streams end and are exported within so short a window. */
const STEADY = { streamCount: 100, chunkCount: 50, everyMs: 20, forMs: 2_000 };
const IDLE_SCALE = 0.25;

const entrants = ENTRANTS.filter(({ key }) => CONTENDERS.has(key));
const steady: Scenario = paced('steady', '100 streams × 50 chunks/s', STEADY);
const waiting: Scenario = { ...idle, letter: 'idle', title: '500 streams that wait' };

const first = await playTurns({ entrants, scenarios: [steady], turnCount: TURN_COUNT, scale: 1 });
const second = await playTurns({ entrants, scenarios: [waiting], turnCount: 1, scale: IDLE_SCALE });
const results = { ...first.results, ...second.results };
const { judgements, othersCores, isBusy, isFailed } = ratioVerdict(results);
const lines = [
  '# Ratios to a bare @fastify/http-proxy',
  '',
  `${machineText()}. Other processes took ${short(othersCores)} cores.`,
  '',
  ...[steady, waiting].map(({ letter, title }) => tableText(scenarioTable(title, results[letter] ?? {}, entrants))),
  tableText(targetTable(judgements)),
  ...[...first.notes, ...second.notes].map((note) => `- ${note}`),
  ...(isBusy
    ? [`The machine was too busy to judge (others may take ${OTHERS_MAX_CORES} cores): nothing is called a fault.`]
    : []),
  '',
];
process.stdout.write(lines.join('\n'));
process.exitCode = isFailed ? 1 : 0;
