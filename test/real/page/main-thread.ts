// The work of the page's own thread while it runs: each task with its length by the wall and by the CPU, from the
// browser's own trace, and the memory that is left when all garbage is gone. On a machine with other work a task may
// take long because it was not let run; what it cost is what the CPU says.
import type { Browser, CDPSession } from 'playwright-core';
import { sleep } from '../../support/signal.ts';

export interface Task {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const US_PER_MS = 1_000;
/** Shorter ones are of no interest, and there are thousands of them. */
const TOLD_FROM_MS = 5;

/** Tasks of at least 5 ms on the main threads of pages, within so long a time from now on. */
export async function tasksWithin(browser: Browser, lengthMs: number): Promise<Task[]> {
  const devtools = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  devtools.on('Tracing.dataCollected', ({ value }) => {
    // Kept only as far as they are looked at: a trace of ten seconds has a hundred thousand events.
    for (const event of value as unknown as TraceEvent[])
      if (event.ph === 'M' || (event.ph === 'X' && (event.dur ?? 0) >= TOLD_FROM_MS * US_PER_MS)) events.push(event);
  });
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['disabled-by-default-devtools.timeline', '__metadata'],
      excludedCategories: ['*'],
    },
  });
  await sleep(lengthMs);
  const done = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()));
  await devtools.send('Tracing.end');
  await done;
  await devtools.detach();
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  if (mains.size === 0) throw new Error('the trace names no main thread of a page');
  return events
    .filter(({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur }) => ({ wallMs: dur / US_PER_MS, cpuMs: (tdur ?? dur) / US_PER_MS }));
}

export interface PageMemory {
  readonly heapBytes: number;
  readonly nodeCount: number;
  readonly listenerCount: number;
}

/** After two full collections: what finalisers let go of in the first is gone by the second. */
export async function memoryOf(devtools: CDPSession): Promise<PageMemory> {
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  return { heapBytes: usedSize, nodeCount: nodes, listenerCount: jsEventListeners };
}
