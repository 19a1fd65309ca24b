// Goal: the young generation stays small by itself, and whoever has chosen flags of V8 keeps them.
// Method: the flags that would be set; and a process that makes garbage which lives for a while, with and without.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { boundHeap } from '../../../src/app/heap.ts';

const HEAP = new URL('../../../src/app/heap.ts', import.meta.url).href;

function flagsSet(execArgv: readonly string[], options?: string): string[] {
  const flags: string[] = [];
  boundHeap({ execArgv, env: { NODE_OPTIONS: options } }, (flag) => flags.push(flag));
  return flags;
}

test('without a choice of the user the heap is bounded', () => {
  expect(flagsSet(['--enable-source-maps'], '--max-old-space-size=512')).toContain('--semi-space-growth-factor=1');
});

test.each(['--max-semi-space-size=16', '--min_semi_space_size=1', '--optimize-for-size', '--heap-growing-percent=9'])(
  'who has chosen %s has chosen all',
  (flag) => {
    expect(flagsSet([flag])).toEqual([]);
    expect(flagsSet([], `--no-warnings ${flag}`)).toEqual([]);
  },
);

/** Size of the young generations, in MiB, of the main thread and of one started later, after a lot of garbage. */
function youngMib(bounded: boolean): { main: number; later: number } {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { isMainThread, parentPort, Worker } from 'node:worker_threads';
    ${bounded ? `const { boundHeap } = await import('${HEAP}'); if (isMainThread) boundHeap({ execArgv: [], env: {} });` : ''}
    const kept = [];
    for (let count = 0; count < 3e6; count += 1) kept[count % 3e5] = { count, text: [count] };
    const bytes = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
    if (!isMainThread) parentPort.postMessage(bytes);
    else new Worker(new URL(import.meta.url)).on('message', (later) =>
      console.log(JSON.stringify({ main: bytes / 2 ** 20, later: later / 2 ** 20 })));
  `;
  const url = `data:text/javascript,${encodeURIComponent(script)}`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', `import ${JSON.stringify(url)}`], {
      encoding: 'utf8',
    }),
  );
}

test('the young generation of each thread keeps to a few MiB', () => {
  const free = youngMib(false);
  const bounded = youngMib(true);
  expect(free.main).toBeGreaterThan(bounded.main);
  expect(bounded.main).toBeLessThanOrEqual(8);
  expect(bounded.later).toBeLessThanOrEqual(8);
}, 30_000);
