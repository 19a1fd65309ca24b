// `npm run test:differential`: asks every proxy that is installed and writes the table in test/README.md.
// Asks for all of them, so that no column is lost because a machine lacks a program.
import { readFileSync, writeFileSync } from 'node:fs';
import { PROXIES } from './proxies.ts';
import { columnOf, tableOf, withTable } from './table.ts';

const README = new URL('../../README.md', import.meta.url).pathname;

const missing = Object.keys(PROXIES).filter((name) => PROXIES[name] === undefined);
if (missing.length > 0) {
  process.stderr.write(`not installed, so nothing was written: ${missing.join(', ')} (Debian: nginx-light, haproxy)\n`);
  process.exitCode = 69;
} else {
  const starts = Object.values(PROXIES).flatMap((start) => start ?? []);
  const columns = await Promise.all(starts.map((start) => columnOf(start)));
  writeFileSync(README, withTable(readFileSync(README, 'utf8'), tableOf(columns)));
}
