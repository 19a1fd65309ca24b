// Goal: the key `admission` says who may be at the engine at once, is off when absent, and tells what cannot work.
// Method: the loader with small YAML texts; faults compared as whole sentences.
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';

function load(yaml: string) {
  return loadConfig({
    flags: { upstream: 'http://127.0.0.1:8000', config: 'rubato.yaml' },
    env: {},
    execArgv: [],
    platform: 'linux',
    readFile: () => yaml,
    checks: [],
  });
}

function turnsOf(yaml: string) {
  const loaded = load(yaml);
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return loaded.config.turns;
}

const faultsOf = (yaml: string): readonly string[] => {
  const loaded = load(yaml);
  return 'faults' in loaded ? loaded.faults : [];
};

test('without the key nobody is held back', () => {
  expect(turnsOf('listen: 127.0.0.1:0')).toBeUndefined();
});

test('every class has its turns, those that are not listed the usual ones', () => {
  const usual = { priority: 0, maxRunningCount: undefined, maxWaitingCount: 100, maxWaitMs: 10_000 };
  const batch = 'class: batch\n      priority: -1\n      max_running: 2\n      max_waiting: 0\n      max_wait_ms: 50';
  expect(turnsOf(`admission:\n  max_running: 8\n  classes:\n    - ${batch}\n`)).toEqual({
    maxRunningCount: 8,
    turnsOf: {
      interactive: usual,
      batch: { priority: -1, maxRunningCount: 2, maxWaitingCount: 0, maxWaitMs: 50 },
      default: usual,
    },
  });
});

test('a limit of one class is limit enough', () => {
  expect(turnsOf('admission: { classes: [{ class: batch, max_running: 1 }] }')?.maxRunningCount).toBeUndefined();
});

describe('faults', () => {
  test.each([
    ['admission: {}', 'rubato.yaml: admission: it limits nothing; give it max_running, or one to a class.'],
    ['admission: { max_running: 0 }', 'rubato.yaml: admission.max_running: expected at least 1.'],
    [
      'admission: { max_runing: 4 }',
      'rubato.yaml: admission.max_runing: there is no such key. Did you mean "max_running"?',
    ],
    [
      'admission: { max_running: 4, classes: [{ class: bacth }] }',
      'rubato.yaml: admission.classes[0].class: there is no class "bacth". Did you mean "batch"?',
    ],
    [
      'admission: { max_running: 4, classes: [{ class: batch }, { class: batch }] }',
      'rubato.yaml: admission.classes[1].class: "batch" is listed twice.',
    ],
    [
      'classes: [{ name: big, match: [{ model: giant }] }]\nadmission: { classes: [{ class: big, max_running: 1 }] }',
      'rubato.yaml: admission.classes[0].class: "big" is told by the model or the body of a request, which nobody has ' +
        'read when it is admitted; tell it by a header, a path or an API key.',
    ],
  ])('%s', (yaml, fault) => {
    expect(faultsOf(yaml)).toEqual([fault]);
  });
});
