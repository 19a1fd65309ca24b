// Goal: the rules that `rubato rules` writes are rules for Prometheus, and its alerts fire when they should and only
// then. Method: the command as users run it, on three configurations; promtool of Prometheus judges.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { NODE, ROOT } from '../support/program.ts';
import { say } from './judge/missing.ts';

const isThere = spawnSync('promtool', ['--version']).error === undefined;
if (!isThere) say('!!!!!!!! NOT TESTED with promtool: it is not installed (Debian package prometheus) !!!!!!!!');

const folder = mkdtempSync(join(tmpdir(), 'rubato-promtool-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CONFIGURATIONS = {
  nothing: 'log-level: warn\n',
  // Presets, jobs, and whatever else a class can promise.
  everything: readFileSync(join(ROOT, 'deploy/objectives.yaml'), 'utf8'),
  // Objectives that hardly ever may be missed, and one that half may miss.
  extremes: `
classes:
  - name: "a.b-c_d"
    objectives:
      - { objective: gap_max, max_ms: 100, target: 0.5 }
      - { objective: ttft, max_ms: 800, target: 0.99999 }
      - { objective: gap_pooled_p95, max_ms: 40 }
`,
} as const;

function rubato(...args: string[]): string {
  return execFileSync(NODE, ['src/main.ts', 'rules', ...args], { cwd: ROOT, encoding: 'utf8' });
}

function promtool(...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  return { code: status, said: `${stdout}${stderr}` };
}

describe.skipIf(!isThere)('promtool', () => {
  test.each(Object.entries(CONFIGURATIONS))('takes the rules for %s and finds their tests kept', (name, yaml) => {
    const [config, rules, tests] = ['yaml', 'rules.yml', 'tests.yml'].map((end) => join(folder, `${name}.${end}`));
    writeFileSync(config!, yaml);
    writeFileSync(rules!, rubato('--config', config!));
    writeFileSync(tests!, rubato('--config', config!, '--tests', '--rule-file', `${name}.rules.yml`));
    const checked = promtool('check', 'rules', '--lint=all', '--lint-fatal', rules!);
    expect(checked.said).toContain('SUCCESS');
    expect(checked.code, checked.said).toBe(0);
    const tested = promtool('test', 'rules', tests!);
    expect(tested.code, tested.said).toBe(0);
  });

  test('finds the tests broken when an alert does not fire any more', () => {
    const [rules, tests] = ['broken.rules.yml', 'broken.tests.yml'].map((name) => join(folder, name));
    // One limit of all is moved out of reach.
    writeFileSync(rules!, rubato().replace('> 0.9\n', '> 0.99\n'));
    writeFileSync(tests!, rubato('--tests', '--rule-file', 'broken.rules.yml'));
    const tested = promtool('test', 'rules', tests!);
    expect(tested.code).not.toBe(0);
    expect(tested.said).toContain('RubatoKvCacheNearlyFull');
  });
});
