// The work of the page's own thread while it runs: each task with its length by the wall and by the CPU, from the
// browser's own trace, and the memory that is left when all garbage is gone. On a machine with other work a task may
// take long because it was not let run; what it cost is what the CPU says.
import type { Browser, CDPSession } from 'playwright-core';

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

/** Tasks of at least 5 ms on the main threads of pages, as the trace told them since the last call. */
export class TaskTrace {
  readonly #browser: CDPSession;
  #events: TraceEvent[] = [];

  private constructor(browser: CDPSession) {
    this.#browser = browser;
    browser.on('Tracing.dataCollected', ({ value }) => {
      // Kept only as far as they are looked at: a trace of ten seconds has a hundred thousand events.
      for (const event of value as unknown as TraceEvent[])
        if (event.ph === 'M' || (event.ph === 'X' && (event.dur ?? 0) >= TOLD_FROM_MS * US_PER_MS))
          this.#events.push(event);
    });
  }

  static async start(browser: Browser): Promise<TaskTrace> {
    const trace = new TaskTrace(await browser.newBrowserCDPSession());
    await trace.#begin();
    return trace;
  }

  /** The tasks so far; the trace goes on with a new one, so that none grows without end. */
  async take(): Promise<Task[]> {
    const tasks = await this.stop();
    await this.#begin();
    return tasks;
  }

  async stop(): Promise<Task[]> {
    const done = new Promise((resolve) => this.#browser.once('Tracing.tracingComplete', resolve));
    await this.#browser.send('Tracing.end');
    await done;
    const events = this.#events;
    this.#events = [];
    const mains = new Set(
      events
        .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    return events
      .filter(({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`))
      .map(({ dur = 0, tdur }) => ({ wallMs: dur / US_PER_MS, cpuMs: (tdur ?? dur) / US_PER_MS }));
  }

  async #begin(): Promise<void> {
    await this.#browser.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: {
        includedCategories: ['disabled-by-default-devtools.timeline', '__metadata'],
        excludedCategories: ['*'],
      },
    });
  }
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
