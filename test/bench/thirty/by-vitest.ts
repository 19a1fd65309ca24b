// Those of the thirty whose figure is a count: how many cases of how many went wrong. They are vitest files that run
// smaller every day; here each has the size that the table names.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check, Finding } from './finding.ts';

interface Counted {
  readonly id: string;
  readonly what: string;
  readonly files: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const COUNTED: readonly Counted[] = [
  {
    id: 'T03',
    what: '5,000 random exchanges, byte for byte',
    files: ['test/wire/invisible-random.test.ts'],
    env: { RUBATO_TEST_EXCHANGES: '5000' },
  },
  {
    id: 'T08',
    what: 'corpus and 100,000 mutated answers',
    files: ['test/wire/hostile-answers.test.ts'],
    env: { RUBATO_TEST_MUTATIONS: '100000' },
  },
  { id: 'T09', what: 'corpus of ambiguous requests', files: ['test/wire/smuggling.test.ts'] },
  {
    id: 'T11',
    what: '10,000 requests at the moment at which connections end',
    files: ['test/wire/keep-alive-race.test.ts'],
    env: { KEEP_ALIVE_RUNS: '10000' },
  },
  {
    id: 'T23',
    what: '100,000 random cuts of event streams',
    files: ['test/conformance/sse-oracle.test.ts'],
    env: { FUZZ_FACTOR: '50' },
  },
  {
    id: 'T25',
    what: '100,000 made-up models, agents, paths, methods',
    files: ['test/load/labels.test.ts'],
    env: { RUBATO_TEST_LABELS: '100000' },
  },
];

interface VitestReport {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

function runVitest({ files, env = {} }: Counted): VitestReport {
  const root = new URL('../../..', import.meta.url).pathname;
  const folder = mkdtempSync(join(tmpdir(), 'rubato-thirty-'));
  const outputFile = join(folder, 'report.json');
  const args = ['run', '--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile=${outputFile}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, ...args, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return JSON.parse(readFileSync(outputFile, 'utf8')) as VitestReport;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkOf(counted: Counted): Check {
  return {
    ids: [counted.id],
    about: `${counted.what} (${counted.files.join(', ')})`,
    run(): Promise<Finding[]> {
      const beganAtMs = performance.now();
      const { numTotalTests, numPassedTests, numFailedTests } = runVitest(counted);
      const seconds = Math.round((performance.now() - beganAtMs) / 1e3);
      const finding = {
        id: counted.id,
        what: `${counted.what}: tests that failed`,
        value: numPassedTests > 0 ? numFailedTests : NaN,
        target: 0,
        unit: `of ${numTotalTests}`,
        note: `${numPassedTests} passed in ${seconds} s`,
      };
      return Promise.resolve([finding]);
    },
  };
}

export const byVitest: readonly Check[] = COUNTED.map(checkOf);
