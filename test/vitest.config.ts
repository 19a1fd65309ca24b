// How the tests run: one project a kind of test. Pure tests run in parallel; wire tests open real
// sockets and look at the order of things on a machine that should be idle, so they run one file at
// a time, after all the others.
import { defineConfig } from 'vitest/config';

const WIRE_TIMEOUT_MS = 30_000;
/** Real sockets on a machine that others use as well: one odd moment is no fault, a fault is there each time. */
const WIRE_RETRIES = 1;

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    environment: 'node',
    pool: 'forks',
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/main.ts'],
      reportsDirectory: 'coverage',
    },
    projects: [
      project('unit', { sequence: { groupOrder: 0 } }),
      project('conformance', { sequence: { groupOrder: 0 } }),
      project('replay', { sequence: { groupOrder: 0 } }),
      project('tidy', { sequence: { groupOrder: 0 } }),
      project('wire', {
        sequence: { groupOrder: 1 },
        fileParallelism: false,
        testTimeout: WIRE_TIMEOUT_MS,
        hookTimeout: WIRE_TIMEOUT_MS,
        retry: WIRE_RETRIES,
      }),
      project('load', {
        sequence: { groupOrder: 2 },
        fileParallelism: false,
        testTimeout: WIRE_TIMEOUT_MS,
        hookTimeout: WIRE_TIMEOUT_MS,
        retry: WIRE_RETRIES,
      }),
    ],
  },
});

/** A project is named after its folder under test/. */
function project(name: string, options: Record<string, unknown>) {
  return { extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`], ...options } };
}
