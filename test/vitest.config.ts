// How the tests run: one project a kind of test. Pure tests run in parallel. Wire tests open real sockets and
// mostly wait, so they run two files at a time, after all others; those that hold moments to a limit finer than
// what a neighbour on the same CPUs can cost run one file at a time behind them.
import { defineConfig } from 'vitest/config';

const WIRE_TIMEOUT_MS = 30_000;
/** Sockets and threads on a machine that others use as well: one odd moment is no fault, a fault is there each time. */
const RETRIES = 1;

/** One has its sidecar start, which is all CPU, while the other waits for a limit or an engine. */
const WIRE_WORKERS = 2;
/**
 * What they hold to a moment: bytes through the sidecar against those of a direct run (`bench.check`), medians of
 * some ms, an engine's own times, the CPU that a quiet or a throttled process gets.
 */
const TIMED = [
  'a-held-back',
  'abort-matrix',
  'aborts',
  'b-bytes-changed',
  'back-pressure',
  'c-event-framing',
  'clock-step',
  'connect-faults',
  'cpu-quota',
  'd-dialects',
  'd-first-token',
  'e-gaps',
  'engine-metrics',
  'evidence-grid',
  'exported',
  'f-ttft',
  'faults',
  'hop-fields',
  'hops',
  'limits',
  'own-delay',
  'own-delay',
  'own-lateness',
  'promptness',
  'slow-parser',
  'time',
].map((name) => `test/wire/${name}.test.ts`);

const WIRE = {
  testTimeout: WIRE_TIMEOUT_MS,
  hookTimeout: WIRE_TIMEOUT_MS,
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    environment: 'node',
    pool: 'forks',
    retry: RETRIES,
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
      // One or two minutes of computing a file, and nothing that could come late.
      project('study', { sequence: { groupOrder: 0 } }),
      project('wire', { ...WIRE, exclude: TIMED, sequence: { groupOrder: 1 }, maxWorkers: WIRE_WORKERS }),
      project('wire-timed', { ...WIRE, include: TIMED, sequence: { groupOrder: 2 }, fileParallelism: false }),
      project('load', { ...WIRE, sequence: { groupOrder: 3 }, fileParallelism: false }),
    ],
  },
});

/** A project is named after its folder under test/, unless it says which files of one it is. */
function project(name: string, options: Record<string, unknown>) {
  return { extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`], ...options } };
}
