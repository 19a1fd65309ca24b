// `npm run bench [-- NAME … [--OPTION …]]`: runs the benches one after the other, each in a process of its own, and
// lets them print. All that judge by default, shortest first; options go to each.
import { spawnSync } from 'node:child_process';

const BENCHES = ['prompt-head', 'abort', 'truth', 'calibration', 'memory', 'harmless', 'speed', 'thirty'];
/** Only when they are asked for: the check for CI, and what gives no verdict. */
const ASKED_FOR = ['ratio', 'relays', 'profile', 'main-cost'];

const given = process.argv.slice(2);
const optionsAt = given.findIndex((word) => word.startsWith('--'));
const asked = optionsAt < 0 ? given : given.slice(0, optionsAt);
const options = optionsAt < 0 ? [] : given.slice(optionsAt);
const all = [...BENCHES, ...ASKED_FOR];
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${all.join(', ')}.\n`);
  process.exit(64);
}
let failedCount = 0;
for (const name of asked.length > 0 ? asked : BENCHES) {
  const file = new URL(`./${name}.ts`, import.meta.url).pathname;
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' });
  if (status !== 0) failedCount += 1;
}
process.exit(failedCount === 0 ? 0 : 1);
