// `npm run bench [-- NAME … [--OPTION …]]`: runs the benches one after the other, each in a process of its own, and
// lets them print. All of them by default, shortest first; options go to each.
import { spawnSync } from 'node:child_process';

const BENCHES = ['prompt-head', 'abort', 'truth', 'calibration', 'memory', 'cost', 'harmless', 'thirty'];

const given = process.argv.slice(2);
const optionsAt = given.findIndex((word) => word.startsWith('--'));
const asked = optionsAt < 0 ? given : given.slice(0, optionsAt);
const options = optionsAt < 0 ? [] : given.slice(optionsAt);
const unknown = asked.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${BENCHES.join(', ')}.\n`);
  process.exit(64);
}
let failedCount = 0;
for (const name of asked.length > 0 ? asked : BENCHES) {
  const file = new URL(`./${name}.ts`, import.meta.url).pathname;
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' });
  if (status !== 0) failedCount += 1;
}
process.exit(failedCount === 0 ? 0 : 1);
