// Real engines, installed and started by the tests: minutes of building and gigabytes of disk, so
// `npm test` leaves them out. One file at a time, for each wants the machine to itself.
import { defineConfig } from 'vitest/config';

/** Installing has caps of its own, well below this. */
const START_TIMEOUT_MS = 30 * 60_000;
const TEST_TIMEOUT_MS = 10 * 60_000;

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    name: 'real',
    include: ['test/real/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: START_TIMEOUT_MS,
    // On a machine that is shared, an engine or a client is woken late now and then; a fault of ours is there each time.
    retry: 2,
  },
});
