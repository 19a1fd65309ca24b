// Goal: `rubato dashboards` writes every dashboard where it is told to, says what there is where it is not, and
// blames whoever is to blame. Method: the real command on a folder of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { dashboardFiles } from '../../../src/telemetry/grafana/files.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-dashboards-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NAMES = dashboardFiles([]).map(({ name }) => name);

test('every dashboard into a folder that is not there yet', async () => {
  const out = join(folder, 'a', 'b');
  const result = await runCli(['dashboards', '--out', out]);
  expect([result.exitCode, result.err]).toEqual([0, '']);
  expect(readdirSync(out).toSorted()).toEqual(NAMES.toSorted());
  for (const { name, text } of dashboardFiles([])) expect(readFileSync(join(out, name), 'utf8')).toBe(text);
  for (const name of NAMES) expect(result.out).toContain(join(out, name));
});

test('a list of what there is, and no file, without a folder', async () => {
  const result = await runCli(['dashboards']);
  expect(result.exitCode).toBe(0);
  expect(
    result.out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(NAMES);
  expect(result.err).toContain('--out DIR');
});

test('promises of a configuration, and the data source to begin with', async () => {
  const config = join(folder, 'rubato.yaml');
  writeFileSync(config, 'classes:\n  - { name: interactive, preset: chat }\n');
  const out = join(folder, 'with-config');
  const result = await runCli(['dashboards', '--config', config, '--out', out, '--datasource', 'prom-1']);
  expect([result.exitCode, result.err]).toEqual([0, '']);
  const text = readFileSync(join(out, 'rubato-slo.json'), 'utf8');
  expect(text).toContain('"title": "What is promised to interactive"');
  expect(text).toContain('"value": "prom-1"');
});

test('a data source that is none, and a configuration with faults, end with 64', async () => {
  const wrong = await runCli(['dashboards', '--datasource', 'a b']);
  expect(wrong.exitCode).toBe(64);
  expect(wrong.err).toContain('--datasource: expected the uid');
  const config = join(folder, 'wrong.yaml');
  writeFileSync(config, 'classes: 7\n');
  const faulty = await runCli(['dashboards', '--config', config]);
  expect(faulty.exitCode).toBe(64);
  expect(faulty.err).toContain('classes');
});

test('a folder that cannot be one ends with 69 and its reason', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const result = await runCli(['dashboards', '--out', file]);
  expect(result.exitCode).toBe(69);
  expect(result.err).toBe(`Cannot write to ${file}: EEXIST.`);
});
