// The demonstration: an engine, a sidecar in front of it, a small mixed load, and a summary. How a
// sidecar is started is handed in, as this floor knows nothing of it.
import { nowNs } from '../base/clock.ts';
import type { Report } from '../judge/report.ts';
import { renderDemoReport } from './demo-report.ts';
import { DEMO_CLASSES, startMix, type MixClass, type MixProgress, type MixRun } from './mix.ts';
import { SMALL_MODEL, type EngineModel } from './reference-engine/model.ts';
import { startReferenceEngine } from './reference-engine/start.ts';
import { useColor } from './use-color.ts';

/** A sidecar that is up, as the demo sees it. */
export interface StartedSidecar {
  /** Where clients send to. */
  readonly url: string;
  readonly adminUrl: string;
  /** Absent when no records are written. */
  readonly recordFile?: string;
  /** Reports of the exchanges that ended, in order of their ends. */
  reports(): readonly Report[];
  close(): Promise<void>;
}

export interface DemoOptions {
  readonly startSidecar: (upstreamUrl: string) => Promise<StartedSidecar>;
  /** Stay up with a gentle load until `stop` says so. */
  readonly keep: boolean;
  readonly seed: number;
  /** How long exchanges are begun. */
  readonly seconds: number;
  /** Progress and summary go here, usually stdout. */
  readonly out: DemoOutput;
  /** Ctrl-C, for the one who listens to signals. Ends the load at once. */
  readonly stop: AbortSignal;
}

/** The part of a stream that is needed to write to people. */
export interface DemoOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

const NS_PER_MS = 1e6;

/** Ten slots keep the mix flowing; one step in 250 stalls, so that there is something to find. */
export const DEMO_MODEL: EngineModel = {
  ...SMALL_MODEL,
  maxRunning: 10,
  stall: { everySteps: 250, stallNs: 180 * NS_PER_MS },
};
export const DEMO_MODEL_NAME = 'reference-small';

/** Streams that run when the last one begins take a few seconds to end. */
const DRAIN_MS = 8_000;
/** Reports come out of the tape within 50 ms, or later when the machine is busy. */
const REPORTS_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;
const TTY_LINE_EVERY_MS = 200;
const PLAIN_LINE_EVERY_MS = 2_000;
/** With `keep` the load goes on at a fraction, to leave the machine to its user. */
const GENTLE_RATIO = 0.2;

/** Runs the demo; resolves to the exit code. What cannot be started rejects. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { out, stop, seed } = options;
  // As vLLM it states queue and prefill of each answer, so that the split is there to be seen.
  const engine = await startReferenceEngine({ seed, persona: 'vllm', model: DEMO_MODEL, models: [DEMO_MODEL_NAME] });
  try {
    const sidecar = await options.startSidecar(engine.url);
    try {
      out.write(`A reference engine is at ${engine.url}, rubato in front of it at ${sidecar.url}.\n`);
      out.write(`Sending a mixed load for ${options.seconds} s (seed ${seed}) …\n`);
      const mix = load(sidecar.url, options, DEMO_CLASSES, options.seconds * 1_000);
      const ended = await watch(mix, options);
      await reportsOf(sidecar, ended);
      const { url, adminUrl, recordFile } = sidecar;
      const staysUp = options.keep && !stop.aborted;
      const color = useColor(out, process.env);
      out.write(`\n${renderDemoReport({ reports: sidecar.reports(), url, adminUrl, recordFile, staysUp, color })}`);
      if (staysUp) await load(url, options, gentleDemoClasses(), Infinity).done;
    } finally {
      await sidecar.close();
    }
  } finally {
    await engine.close();
  }
  return 0;
}

function load(
  url: string,
  { seed, stop: signal }: DemoOptions,
  classes: readonly MixClass[],
  durationMs: number,
): MixRun {
  return startMix({ url, model: DEMO_MODEL_NAME, classes, seed, durationMs, drainMs: DRAIN_MS, signal });
}

/** The demo's classes at a fraction of their pace. */
export function gentleDemoClasses(): MixClass[] {
  const gentle: MixClass[] = [];
  for (const one of DEMO_CLASSES) gentle.push({ ...one, perSecond: one.perSecond * GENTLE_RATIO });
  return gentle;
}

/** Shows how the load goes on: one line that changes on a terminal, a line every 2 s elsewhere. */
async function watch(mix: MixRun, { out, seconds }: DemoOptions): Promise<MixProgress> {
  const tty = out.isTTY === true;
  const show = (): unknown => out.write(progressText(mix.progress(), seconds, tty));
  const timer = setInterval(show, tty ? TTY_LINE_EVERY_MS : PLAIN_LINE_EVERY_MS);
  try {
    return await mix.done;
  } finally {
    clearInterval(timer);
    show();
    if (tty) out.write('\n');
  }
}

function progressText(progress: MixProgress, seconds: number, tty: boolean): string {
  const { elapsedMs, sentCount, openCount, receivedBytes, endCounts } = progress;
  const failed = endCounts.failed + endCounts.cut + endCounts.too_large;
  const words = [
    `${(elapsedMs / 1000).toFixed(1).padStart(5)} s of ${seconds}`,
    `sent ${sentCount}`,
    `open ${openCount}`,
    `answered ${endCounts.complete}`,
    `left early ${endCounts.left}`,
    ...(failed > 0 ? [`failed ${failed}`] : []),
    `${Math.round(receivedBytes / 1024)} KiB`,
  ];
  // On a terminal the line is written over itself; the rest of a longer one is erased.
  return tty ? `\r${words.join('  ')}\u001b[K` : `${words.join('  ')}\n`;
}

/** Waits until the sidecar has told of everything that was sent, but not for ever. */
async function reportsOf(sidecar: StartedSidecar, { sentCount }: MixProgress): Promise<void> {
  const untilNs = nowNs() + REPORTS_WAIT_MS * NS_PER_MS;
  while (sidecar.reports().length < sentCount && nowNs() < untilNs) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
