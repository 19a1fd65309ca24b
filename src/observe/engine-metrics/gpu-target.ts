// The GPUs beside the engine, by the names of NVIDIA's DCGM exporter. What the exporter samples is its
// own affair (30 s by default there), so a fresh poll may bring an older value.
import { nowNs } from '../../base/clock.ts';
import { GPUS_MAX_COUNT, POLL_BODY_MAX_BYTES } from '../../base/poll-limits.ts';
import type { Log } from '../../base/log.ts';
import type { GpuState } from '../../judge/engine-state.ts';
import type { Failure, MetricsClient } from './metrics-client.ts';
import { PollLoop } from './poll-loop.ts';
import { PollNotes } from './poll-notes.ts';
import { MetricsScanner, type Sample } from './prometheus-text.ts';

type GpuFigure = Exclude<keyof GpuState, 'gpu'>;

interface GpuName {
  readonly figure: GpuFigure;
  /** Units of ours in one of the exporter's. */
  readonly factor: number;
  /** Parts of one GPU (MIG) add up, or the largest stands for the whole. */
  readonly join: 'sum' | 'max';
}

/** The first name of a figure that a page has counts. */
const GPU_NAMES: Readonly<Record<string, GpuName>> = {
  DCGM_FI_PROF_GR_ENGINE_ACTIVE: { figure: 'activeRatio', factor: 1, join: 'max' },
  // Where the GPU has no profiling counters: the share of time in which any kernel ran, in percent.
  DCGM_FI_DEV_GPU_UTIL: { figure: 'activeRatio', factor: 0.01, join: 'max' },
  DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: { figure: 'tensorActiveRatio', factor: 1, join: 'max' },
  DCGM_FI_PROF_DRAM_ACTIVE: { figure: 'dramActiveRatio', factor: 1, join: 'max' },
  DCGM_FI_DEV_FB_USED: { figure: 'memoryUsedBytes', factor: 1024 * 1024, join: 'sum' },
  DCGM_FI_DEV_POWER_USAGE: { figure: 'powerWatts', factor: 1, join: 'max' },
};

const WANTED: ReadonlySet<string> = new Set(Object.keys(GPU_NAMES));

export interface GpuTargetOptions {
  readonly url: string;
  readonly intervalMs: number;
  readonly client: MetricsClient;
  readonly log: Log;
}

export class GpuTarget {
  readonly #options: GpuTargetOptions;
  readonly #loop: PollLoop;
  readonly #notes: PollNotes;
  #gpus: readonly GpuState[] = [];
  #goodAtNs: number | undefined;

  constructor(options: GpuTargetOptions) {
    this.#options = options;
    this.#notes = new PollNotes(options.log, 'the metrics of the GPUs');
    this.#loop = new PollLoop(
      () => this.#ask(),
      (fault) => this.#notes.broke(fault),
      options.intervalMs,
    );
  }

  start(): void {
    this.#loop.start();
  }

  close(): void {
    this.#loop.close();
  }

  /** What the last good poll brought, and its age; undefined before there was one. */
  read(): { readonly gpus: readonly GpuState[]; readonly ageNs: number } | undefined {
    return this.#goodAtNs === undefined ? undefined : { gpus: this.#gpus, ageNs: nowNs() - this.#goodAtNs };
  }

  async #ask(): Promise<void> {
    const { url, client } = this.#options;
    const scanner = new MetricsScanner(WANTED);
    const failure = await client.ask({ url, maxBytes: POLL_BODY_MAX_BYTES, onText: (text) => scanner.feed(text) });
    const { form, samples } = scanner.end();
    const fault = failure ?? faultOf(form, samples);
    if (fault !== undefined) {
      this.#notes.failed(url, fault);
      return;
    }
    this.#notes.good(url);
    this.#gpus = readGpus(samples);
    this.#goodAtNs = nowNs();
  }
}

function faultOf(form: string, samples: readonly Sample[]): Failure | undefined {
  if (form !== 'metrics') return { fault: 'no_metrics' };
  return samples.length === 0 ? { fault: 'unknown_names' } : undefined;
}

/** One state a GPU, in the order of their indexes. */
export function readGpus(samples: readonly Sample[]): GpuState[] {
  const byGpu = new Map<string, { [Figure in GpuFigure]?: { readonly name: string; readonly value: number } }>();
  for (const [name, { figure, factor, join }] of Object.entries(GPU_NAMES)) {
    for (const sample of samples) {
      const gpu = sample.labels['gpu'] ?? '';
      // The index is what a label can be made of; a UUID would be a new label value with each machine.
      if (sample.name !== name || !/^\d{1,3}$/.test(gpu)) continue;
      const figures = byGpu.get(gpu) ?? {};
      const known = figures[figure];
      const value = sample.value * factor;
      if (known === undefined) figures[figure] = { name, value };
      else if (known.name === name) {
        figures[figure] = { name, value: join === 'sum' ? known.value + value : Math.max(known.value, value) };
      }
      byGpu.set(gpu, figures);
    }
  }
  return [...byGpu]
    .sort(([a], [b]) => Number(a) - Number(b))
    .slice(0, GPUS_MAX_COUNT)
    .map(([gpu, figures]): GpuState => {
      const known = Object.entries(figures).map(([figure, { value }]) => [figure, value] as const);
      return Object.fromEntries([['gpu', gpu], ...known]) as unknown as GpuState;
    });
}
