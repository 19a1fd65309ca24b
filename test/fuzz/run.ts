// `npm run fuzz [-- --factor N --seed N WORD …]`: the long form of all property tests and of the corpora over
// the wire, many times as many cases as in `npm test`, from one seed that is printed first. WORDs choose files.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = new URL('../..', import.meta.url).pathname;
/** What makes a file worth running long: a property, or a number of cases that can be asked for. */
const RANDOM = /support\/fuzz\.ts|RUBATO_TEST_(?:SEED|MUTATIONS|EXCHANGES)|FUZZ_RUNS/;
/** Wall time in which even a slow property must be done. */
const TEST_TIMEOUT_MS = 3_600_000;

const { values, positionals } = parseArgs({
  options: {
    factor: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
  allowPositionals: true,
});
const factor = Number(values.factor);
const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && RANDOM.test(readFileSync(join(ROOT, 'test', name), 'utf8')))
  .map((name) => join('test', name))
  .filter((name) => positionals.length === 0 || positionals.some((word) => name.includes(word)))
  .toSorted();
process.stdout.write(`fuzz: ${files.length} files, ${factor} times as long, seed ${values.seed}\n`);
const { status } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    ...files,
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_FACTOR: String(factor),
      FUZZ_SEED: values.seed,
      FUZZ_RUNS: String(150 * factor),
      RUBATO_TEST_SEED: values.seed,
      RUBATO_TEST_MUTATIONS: String(10_000 * factor),
      RUBATO_TEST_EXCHANGES: String(5_000 * factor),
    },
  },
);
process.exit(status ?? 1);
