// The thirty tests of a trusted streaming proxy, those of them that have a time, a size or a count: each at its
// full size, and one table of what is demanded, what was found and what a bare pipe or no proxy at all does.
// `--only T13,T14` chooses. Ends with 1 when a demand is missed.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { progress, report } from './harness/report.ts';
import { CHECKS } from './thirty/checks.ts';
import { lineOf, resultOf, type Made } from './thirty/table.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const asked = values.only?.split(',').map((id) => id.trim().toUpperCase());
const unknown = (asked ?? []).filter((id) => !CHECKS.some(({ ids }) => ids.includes(id)));
if (unknown.length > 0) {
  process.stderr.write(`Nothing here measures ${unknown.join(', ')}; test/README.md says where each test is.\n`);
  process.exit(64);
}
const made: Made[] = [];
const isMet = await report(async () => {
  for (const { ids, about, run } of CHECKS) {
    if (asked !== undefined && !ids.some((id) => asked.includes(id))) continue;
    progress(`${ids.join(', ')}: ${about}`);
    const load = loadavg()[0] ?? NaN;
    for (const finding of await run()) {
      made.push({ ...finding, load });
      progress(lineOf(finding));
    }
  }
  return resultOf(made);
});
process.exit(isMet ? 0 : 1);
