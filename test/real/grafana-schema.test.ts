// Goal: Grafana knows every field of every dashboard that rubato writes. Method: the command as users run it, with and
// without promises of classes; Grafana's own schema judges, and must find what is broken on purpose.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { NODE, ROOT } from '../support/program.ts';
import { schemaChecker } from './grafana/schema.ts';
import { orMissing } from './judge/missing.ts';

const checker = await orMissing('schema of Grafana', schemaChecker);

const folder = mkdtempSync(join(tmpdir(), 'rubato-grafana-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, ...args: string[]): string[] {
  const out = join(folder, name);
  execFileSync(NODE, ['src/main.ts', 'dashboards', '--out', out, ...args], { cwd: ROOT });
  return readdirSync(out).map((file) => join(out, file));
}

function check(files: readonly string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(checker ?? '', files, { encoding: 'utf8' });
  return { code: status, said: `${stdout}${stderr}` };
}

describe.skipIf(checker === undefined)('the schema of Grafana', () => {
  test.each([
    ['as they are shipped', []],
    ['of a configuration', ['--config', 'deploy/objectives.yaml']],
    ['with a data source', ['--datasource', 'mimir']],
  ])('knows every field of the dashboards %s', (name, args) => {
    const files = write(name, ...args);
    expect(files.length).toBeGreaterThan(5);
    expect(check(files)).toEqual({ code: 0, said: '' });
  });

  test.each([
    ['an option of a heatmap', '"cellGap"', '"cellGapp"'],
    ['a field of a line', '"lineWidth"', '"lineWith"'],
    ['a field of a query', '"legendFormat"', '"legendformat"'],
    ['a field of the dashboard', '"schemaVersion"', '"schemaversion"'],
  ])('finds %s that is written wrong', (name, right, wrong) => {
    const broken = write(name).find((file) => file.endsWith('rubato-gaps.json'))!;
    const text = readFileSync(broken, 'utf8');
    expect(text).toContain(right);
    writeFileSync(broken, text.replaceAll(right, wrong));
    const { code, said } = check([broken]);
    expect(code).toBe(1);
    expect(said).toContain(wrong.slice(1, -1));
  });
});
