// Goal: what README.md and deploy/objectives.yaml show of objectives is taken as it stands. Method: the loader reads
// them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;

function classesOf(yaml: string) {
  const sources = { flags: { config: 'x.yaml' }, env: {}, readFile: () => yaml };
  const loaded = loadConfig({ ...sources, execArgv: [], platform: 'linux', checks: [] });
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return Object.fromEntries(loaded.config.classes.map((each) => [each.name, each]));
}

test('the example of objectives', () => {
  const classes = classesOf(readFileSync(`${ROOT}/deploy/objectives.yaml`, 'utf8'));
  const names = (name: string): readonly string[] => (classes[name]?.objectives ?? []).map((each) => each.name);
  expect(names('interactive')).toEqual([
    'ttft_800ms',
    'ttft_2s',
    'gap_pooled_p95',
    'gap_pooled_p99',
    'e2e',
    'valid',
    'served',
  ]);
  expect(names('voice')).toEqual(['tpot', 'gap_max', 'gap_p95']);
  expect(names('agents')).toEqual(['ttft', 'ttft_long', 'ttft_huge', 'ttfo', 'gap_pooled_p99', 'e2e']);
  expect(names('batch')).toEqual(['valid']);
  expect(classes['batch']?.job).toMatchObject({ deadlineMs: 600_000, outputTokensPerSecondMin: 3_000 });
});

test('the beginning of README.md on objectives', () => {
  const blocks = readFileSync(`${ROOT}/README.md`, 'utf8').matchAll(/```yaml\n(classes:.*?)```/gs);
  const [yaml = ''] = [...blocks].map(([, text = '']) => text);
  const classes = classesOf(`upstream: http://127.0.0.1:8000\n${yaml}`);
  expect(classes['interactive']?.objectives).toHaveLength(7);
});
