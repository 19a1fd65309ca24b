// Goal: `rubato rules` writes YAML of the objectives it is given, and blames the configuration for its faults.
// Method: the real command on configuration files, its output read again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RuleGroup } from '../../../src/telemetry/rules/rule.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

let fileCount = 0;
function fileOf(yaml: string): string {
  fileCount += 1;
  const path = join(folder, `rubato-${fileCount}.yaml`);
  writeFileSync(path, yaml);
  return path;
}

const CLASSES = `
classes:
  - { name: interactive, preset: chat }
`;

function budgetsOf({ groups }: { groups: readonly RuleGroup[] }): unknown[] {
  const rules = groups.flatMap((group) => group.rules);
  return rules.flatMap((rule) => ('record' in rule && rule.labels !== undefined ? [rule.labels['objective']] : []));
}

test('rules of a file without an upstream, as it stands beside --upstream', async () => {
  const { exitCode, out, err } = await runCli(['rules', '--config', fileOf(CLASSES)]);
  expect([exitCode, err]).toEqual([0, '']);
  expect(out).toMatch(/^# Made by "rubato rules"/);
  expect(budgetsOf(parse(out) as never)).toContain('ttft_800ms');
  // Long expressions are not folded, and nothing is an alias.
  expect(out).not.toMatch(/^\s*expr: >/m);
  expect(out).not.toMatch(/: [&*]\w/);
});

test('the file that the environment names, with routes of its own', async () => {
  const path = fileOf(`${CLASSES}routes:\n  - { name: a, upstream: "http://127.0.0.1:8000" }\n`);
  const { exitCode, out } = await runCli(['rules'], { RUBATO_CONFIG: path });
  expect(exitCode).toBe(0);
  expect(budgetsOf(parse(out) as never)).toContain('valid');
});

test('a PrometheusRule on request', async () => {
  const { out } = await runCli(['rules', '--config', fileOf(CLASSES), '--format', 'kubernetes']);
  const { kind, spec } = parse(out) as { kind: string; spec: { groups: readonly RuleGroup[] } };
  expect(kind).toBe('PrometheusRule');
  expect(budgetsOf(spec)).toContain('ttft_2s');
});

test('tests that name the file of the rules', async () => {
  const { out } = await runCli(['rules', '--config', fileOf(CLASSES), '--tests', '--rule-file', 'mine.yml']);
  const { rule_files: files, tests } = parse(out) as { rule_files: string[]; tests: unknown[] };
  expect(files).toEqual(['mine.yml']);
  expect(tests.length).toBeGreaterThan(20);
});

test('without objectives the rest, and a word about it beside the output', async () => {
  const { exitCode, out, err } = await runCli(['rules']);
  expect(exitCode).toBe(0);
  expect(budgetsOf(parse(out) as never)).toEqual([]);
  expect(err).toContain('No class has objectives');
});

test('every fault of file and flags at once, and no rules', async () => {
  const path = fileOf('classes:\n  - { name: a, preset: chatt }\n');
  const { exitCode, out, err } = await runCli(['rules', '--config', path, '--format', 'yaml']);
  expect([exitCode, out]).toEqual([64, '']);
  expect(err).toContain('--format');
  expect(err).toContain('chatt');
});
