// Starts a reference engine: an OpenAI-compatible server whose timing is known, for demonstrations
// and for measuring how well a measurement is. Puts the parts together and owns their end.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anchorNow, epochMs } from '../../base/clock.ts';
import { HEAD_MAX_BYTES } from '../../base/limits.ts';
import { CHARS_PER_TOKEN } from './answer.ts';
import { EngineLoop } from './engine-loop.ts';
import type { EngineSpan } from './engine-span.ts';
import type { Door } from './generate.ts';
import { handle } from './http.ts';
import { MetricsPage } from './metrics-page.ts';
import { modelFaults, SMALL_MODEL, type EngineModel } from './model.ts';
import { PerfRing } from './perf-ring.ts';
import { ALL_SIGNALS, type Persona, type Signals, type StreamManners } from './persona.ts';
import { PERSONAS, type PersonaName } from './personas.ts';
import { PrefixCache } from './prefix-cache.ts';
import { scriptFaults, type Script } from './script.ts';
import { emptyStats, type EngineStats } from './stats.ts';
import { TruthLog, type RequestTruth } from './truth.ts';

export interface ReferenceEngineOptions {
  /** Same seed, same answers and stalls. Default 1. */
  readonly seed?: number;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default loopback. */
  readonly host?: string;
  /** What it costs to compute; default {@link SMALL_MODEL}. */
  readonly model?: EngineModel;
  /** Names it answers to; default `reference-small`. */
  readonly models?: readonly string[];
  /** Answers written down beforehand, by name: chosen by header `x-reference-script` or model `script:NAME`. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** Name of the script that answers whatever is asked now, for gateways that pass neither header nor model on. */
  readonly scriptNow?: () => string | undefined;
  /** The engine it speaks as; default `reference`, which is vLLM without times. */
  readonly persona?: PersonaName;
  /** What it tells of itself; everything that is left out is on. */
  readonly signals?: Partial<Signals>;
  /** Takes the spans of each answer that came to its end, for personas whose engine makes some. */
  readonly onSpans?: (spans: readonly EngineSpan[]) => void;
  /** Default as the persona does it, the reference at `arrival`. */
  readonly headAt?: StreamManners['headAt'];
  /** Default as the persona does it, the reference at `first_token`. */
  readonly roleAt?: StreamManners['roleAt'];
}

export interface ReferenceEngine {
  readonly port: number;
  readonly url: string;
  /** What was really done for a request, by its `x-request-id`; also at `GET /reference/truth?id=`. */
  truth(requestId: string): RequestTruth | undefined;
  truths(): RequestTruth[];
  stats(): EngineStats & { readonly runningCount: number; readonly waitingCount: number };
  close(): Promise<void>;
}

/** Listens and answers until closed. Rejects on a faulty model or script and on a port in use. */
export async function startReferenceEngine(options: ReferenceEngineOptions = {}): Promise<ReferenceEngine> {
  const model = options.model ?? SMALL_MODEL;
  const scripts = new Map(Object.entries(options.scripts ?? {}));
  const faults = [...modelFaults(model), ...[...scripts].flatMap(([name, script]) => scriptFaults(name, script))];
  if (faults.length > 0) throw new Error(`The reference engine cannot start: ${faults.join('; ')}.`);
  const door = openDoor(options, model, scripts);
  const server = createServer({
    maxHeaderSize: HEAD_MAX_BYTES,
    noDelay: true,
    // As uvicorn, behind which most engines stand: a peer that keeps connections longer must cope.
    keepAliveTimeout: 5_000,
    headersTimeout: 60_000,
    requestTimeout: 0,
  });
  server.on('request', (request, response) => handle(door, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port, address, family } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    truth: (requestId) => door.truths.get(requestId),
    truths: () => door.truths.all(),
    stats: () => ({ ...door.stats, runningCount: door.loop.runningCount, waitingCount: door.loop.waitingCount }),
    close: async () => {
      door.loop.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function openDoor(options: ReferenceEngineOptions, model: EngineModel, scripts: ReadonlyMap<string, Script>): Door {
  const persona: Persona = PERSONAS[options.persona ?? 'reference'];
  const { seed = 1, models = ['reference-small'], headAt, roleAt, onSpans } = options;
  const manners = { ...(headAt === undefined ? {} : { headAt }), ...(roleAt === undefined ? {} : { roleAt }) };
  return {
    seed,
    models,
    scripts,
    scriptNow: options.scriptNow,
    persona,
    signals: { ...ALL_SIGNALS, ...options.signals },
    manners,
    model,
    prefixCache: model.prefixCache === undefined ? undefined : new PrefixCache(model.prefixCache, CHARS_PER_TOKEN),
    startedEpochS: Math.floor(epochMs() / 1000),
    anchor: anchorNow(),
    loop: new EngineLoop(model, seed),
    truths: new TruthLog(),
    stats: emptyStats(),
    metrics: new MetricsPage(persona.metrics, persona.metricLabels(models[0] ?? '')),
    perfRing: new PerfRing(),
    onSpans,
  };
}
