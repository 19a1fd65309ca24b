// Goal: rubato refuses every request that two parsers could read in two ways, passes every legal one as
// it is, and test/README.md tells the truth about it and the proxies beside it. Method: the corpus of
// differential/ as raw bytes to each, with an engine behind that keeps what arrives.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { CORPUS } from './differential/corpus.ts';
import { PROXIES } from './differential/proxies.ts';
import { type Column, columnOf } from './differential/table.ts';
import { say } from './judge/missing.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const missing = Object.keys(PROXIES).filter((name) => PROXIES[name] === undefined);
if (missing.length > 0)
  say(`!!!!!!!! NOT TESTED with ${missing.join(', ')}: not installed (Debian packages nginx-light, haproxy) !!!!!!!!`);

/** Cells of the table's row for a request: one a proxy, in the order of {@link PROXIES}. */
function rowOf(name: string): string[] {
  const line = README.split('\n').find((each) => each.startsWith(`| ${name} |`));
  return line?.slice(2, -2).split(' | ').slice(3) ?? [];
}

describe('rubato', () => {
  let column: Column;
  beforeAll(async () => {
    column = await columnOf(PROXIES['rubato']!);
  });
  const kinds = (duty: string): string[] =>
    CORPUS.filter((each) => each.duty === duty).map(({ name }) => `${name}: ${column.verdicts.get(name)?.kind}`);

  test('gives no request to the engine that must be refused', () => {
    expect(kinds('refuse').filter((each) => !each.endsWith(': refused'))).toEqual([]);
  });

  test('answers each of them with a 4xx of its own', () => {
    const answers = CORPUS.filter(({ duty }) => duty === 'refuse').map(({ name }) => column.verdicts.get(name)?.words);
    expect(answers.filter((words) => words !== '400' && words !== '431')).toEqual([]);
  });

  test('gives every legal request to the engine unaltered', () => {
    expect(kinds('pass').filter((each) => !each.endsWith(': passed'))).toEqual([]);
  });

  test('does what test/README.md says; `npm run test:differential` writes it anew', () => {
    expect(CORPUS.map(({ name }) => [name, column.verdicts.get(name)?.words])).toEqual(
      CORPUS.map(({ name }) => [name, rowOf(name)[0]]),
    );
  });
});

test('the corpus has at least the 51 requests of the study that it continues, under different names', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(51);
  expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
});

// Versions differ from machine to machine, so of the others only is said that they were asked at all.
const others = Object.keys(PROXIES).filter((name) => name !== 'rubato' && PROXIES[name] !== undefined);
test.concurrent.each(others)('%s answers the corpus, and passes a plain request', async (name) => {
  const { verdicts } = await columnOf(PROXIES[name]!);
  expect(verdicts.size).toBe(CORPUS.length);
  expect(verdicts.get('dots and double slashes')?.words).toBe('passes');
});
