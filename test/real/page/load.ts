// What goes through the sidecar while its page is looked at: a reference engine whose work is scripted, and clients.
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../../src/client/reference-engine/start.ts';
import { sendRequest, type StreamAnswer } from '../../../src/client/stream-client.ts';
import type { Summary } from '../../../src/telemetry/summary.ts';
import { Sidecar, type SidecarOptions } from '../../support/sidecar.ts';
import { sleep } from '../../support/signal.ts';

const MS = 1_000_000;

/** Steps of 20 ms; a prompt of 20,000 tokens is read whole in one step that takes two seconds. */
export const MODEL: EngineModel = {
  maxRunning: 16,
  stepTokens: 65_536,
  stepBaseNs: 20 * MS,
  decodeNs: 200_000,
  contextNs: 50,
  prefillNs: 100_000,
};

export const MODEL_NAME = 'reference-small';
/** A canary: it must be nowhere on the page. */
export const PROMPT = 'the secret of tempo rubato';

/** One objective that everything keeps, and one that nothing does. */
export const OBJECTIVES = `
classes:
  - name: default
    objectives:
      - { objective: ttft, max_ms: 60000, target: 0.5 }
      - { objective: gap_max, max_ms: 1, target: 0.5 }
`;

export interface Ask {
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly afterMs?: number;
  /** Leaves after so many reads. */
  readonly leaveAfterReads?: number;
  readonly signal?: AbortSignal;
  /** Of traffic; absent: none is named. */
  readonly className?: string;
}

export class Load {
  readonly engine: ReferenceEngine;
  sidecar: Sidecar;
  #nth = 0;

  private constructor(engine: ReferenceEngine, sidecar: Sidecar) {
    this.engine = engine;
    this.sidecar = sidecar;
  }

  static async start(options: Partial<SidecarOptions> = {}, model: EngineModel = MODEL): Promise<Load> {
    const engine = await startReferenceEngine({ model, models: [MODEL_NAME] });
    const metrics = ['--engine-metrics', `${engine.url}/metrics`, '--engine-metrics-interval', '0.5'];
    const args = [...metrics, '--stall-ms', '500', ...(options.args ?? [])];
    try {
      return new Load(engine, await Sidecar.start({ upstream: engine.url, ...options, args }));
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.sidecar.adminPort}`;
  }

  async ask({
    promptTokens,
    outputTokens,
    afterMs = 0,
    leaveAfterReads,
    signal,
    className,
  }: Ask): Promise<StreamAnswer> {
    await sleep(afterMs);
    this.#nth += 1;
    return sendRequest({
      url: `http://127.0.0.1:${this.sidecar.listenPort}/v1/chat/completions`,
      body: JSON.stringify({
        model: MODEL_NAME,
        stream: true,
        max_tokens: outputTokens,
        ignore_eos: true,
        // Prompts differ in their first word, so that no cache knows them.
        messages: [{ role: 'user', content: `${this.#nth} ${PROMPT}`.padEnd(4 * promptTokens, ' tempo') }],
      }),
      ...(className !== undefined && { headers: { 'x-traffic-class': className } }),
      ...(signal !== undefined && { signal }),
      ...(leaveAfterReads !== undefined && {
        onRead: (_: unknown, readCount: number) => (readCount >= leaveAfterReads ? ('leave' as const) : undefined),
      }),
    });
  }

  /** A handful of exchanges, most of them whole; resolves when all have been reported. */
  async play(): Promise<void> {
    const asks = Array.from({ length: 24 }, (_, nth) => ({
      promptTokens: 40,
      outputTokens: 12 + nth,
      afterMs: 40 * nth,
      ...(nth % 8 === 7 && { leaveAfterReads: 3 }),
    }));
    const before = this.sidecar.records().length;
    await Promise.all(asks.map((ask) => this.ask(ask)));
    await this.sidecar.untilRecords(before + asks.length, 30_000);
  }

  /** Three streams, among which a prompt of two seconds comes in; the first of them is `0.0-0` of a fresh sidecar. */
  async playStall(): Promise<void> {
    const streams = [0, 1, 2].map((nth) => this.ask({ promptTokens: 60, outputTokens: 250, afterMs: 100 * nth }));
    await Promise.all([...streams, this.ask({ promptTokens: 20_000, outputTokens: 5, afterMs: 2_000 })]);
  }

  async summary(): Promise<Summary> {
    return JSON.parse((await this.sidecar.admin('/api/summary')).text) as Summary;
  }

  async stop(): Promise<void> {
    await this.sidecar.stop();
    await this.engine.close();
  }
}
