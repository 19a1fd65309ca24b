// One half of the demonstration at a time, until it is told to stop: the engine without a load, or the load without
// an engine. Where the two and the sidecar between them run in places of their own, such as containers, each
// place runs one of them.
import { DEMO_MODEL, DEMO_MODEL_NAME, gentleDemoClasses, type DemoOutput } from './demo.ts';
import { startMix } from './mix.ts';
import type { PersonaName } from './reference-engine/personas.ts';
import { startReferenceEngine } from './reference-engine/start.ts';

/** What both halves are given. */
interface AloneOptions {
  readonly seed: number;
  readonly out: DemoOutput;
  readonly stop: AbortSignal;
}

export interface EngineAloneOptions extends AloneOptions {
  readonly host: string;
  /** 0 takes any free one; the address is written out. */
  readonly port: number;
  readonly persona: PersonaName;
}

/** Streams that run when the load is stopped are left at once: whoever stops it wants to be gone. */
const NO_DRAIN_MS = 0;

/** Rejects when the address cannot be had; resolves to the exit code once stopped. */
export async function runEngineAlone({ seed, out, stop, host, port, persona }: EngineAloneOptions): Promise<number> {
  const engine = await startReferenceEngine({
    seed,
    host,
    port,
    persona,
    model: DEMO_MODEL,
    models: [DEMO_MODEL_NAME],
  });
  try {
    out.write(`A reference engine is at ${engine.url}, with the model ${DEMO_MODEL_NAME}. Ctrl-C ends it.\n`);
    await stopped(stop);
  } finally {
    await engine.close();
  }
  return 0;
}

/** Sends a gentle load to `url` until stopped; what fails is counted, for the other side may not be up yet. */
export async function runLoadAlone(url: string, { seed, out, stop }: AloneOptions): Promise<number> {
  out.write(`A gentle load goes to ${url}, for the model ${DEMO_MODEL_NAME} (seed ${seed}). Ctrl-C ends it.\n`);
  const mix = startMix({
    url,
    model: DEMO_MODEL_NAME,
    classes: gentleDemoClasses(),
    seed,
    durationMs: Infinity,
    drainMs: NO_DRAIN_MS,
    signal: stop,
  });
  const { sentCount, endCounts } = await mix.done;
  out.write(`Sent ${sentCount}, of which ${endCounts.complete} were answered in full.\n`);
  return 0;
}

function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}
