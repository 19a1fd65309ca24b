// Goal: what is worth a warning and no fault is told, and stops nothing.
// Method: the loader is called with literal flags and variables.
import { describe, expect, test } from 'vitest';
import { loadConfig, type LoadInput, type Loaded } from '../../../src/config/load.ts';

const UPSTREAM = 'http://127.0.0.1:8000';

function load(input: Partial<LoadInput>): Loaded {
  return loadConfig({
    flags: {},
    env: {},
    readFile: () => '',
    execArgv: [],
    platform: 'linux',
    checks: [],
    ...input,
  });
}

describe('misspelt variables', () => {
  test('are warned about', () => {
    const loaded = load({ flags: { upstream: UPSTREAM }, env: { RUBATO_LISTN: 'x' } });
    expect('warnings' in loaded && loaded.warnings).toEqual([
      'RUBATO_LISTN is no variable of rubato and has no effect. Did you mean RUBATO_LISTEN?',
    ]);
  });

  test('those that Kubernetes sets for a service called rubato are left alone', () => {
    const env = { RUBATO_PORT: 'tcp://10.0.0.1:80', RUBATO_SERVICE_HOST: '10.0.0.1', RUBATO_PORT_80_TCP: 'x' };
    const loaded = load({ flags: { upstream: UPSTREAM }, env });
    expect('warnings' in loaded && loaded.warnings).toEqual([]);
  });
});

describe('text of prompts and answers', () => {
  const flags = { upstream: UPSTREAM, 'capture-text': true as const };

  test('is kept only where there is a record file, and said at every start', () => {
    const loaded = load({ flags: { ...flags, record: 'r.jsonl' } });
    expect('config' in loaded && loaded.config.captureText).toBe(true);
    expect('warnings' in loaded && loaded.warnings).toEqual([
      'Prompts and answers are written to r.jsonl (--capture-text).',
    ]);
    const refused = load({ flags });
    expect('faults' in refused && refused.faults).toEqual([
      '--capture-text writes to the record file only; name one with --record.',
    ]);
  });
});
