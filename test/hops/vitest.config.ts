// Gateways of other people, started by the tests from the recipes in deploy/hops: minutes of streams in real
// time, so `npm test` leaves them out. One after the other, for each wants the machine to itself.
import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 3 * 60_000;

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    name: 'hops',
    include: ['test/hops/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    // A shared machine makes streams late now and then; a hop that holds one does so each time.
    retry: 2,
  },
});
