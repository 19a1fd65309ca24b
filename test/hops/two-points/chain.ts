// A hop between two looks of one rubato: client → edge → hop → main listener → engine, with raw sockets at both
// ends of it all. What rubato says is read from its record file, what happened from the raw sockets.
import type { HopChoice } from '../../../src/client/hops/load.ts';
import { startHop, type RunningHop } from '../../../src/client/hops/start.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { freePort } from '../../support/free-port.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { HOPS_ENV } from '../installed.ts';
import { RHYTHMS, type Rhythm } from '../truth/rhythms.ts';
import { playMany, runStream, type StreamTruth } from '../truth/run-stream.ts';
import { TruthEngine } from '../truth/truth-engine.ts';

const NAME = 'hop';

export interface Sights {
  readonly truth: StreamTruth;
  /** In front of the hop. */
  readonly outer: StreamRecord;
  /** Behind it: the one with the whole answer. */
  readonly inner: StreamRecord;
}

export class Chain {
  readonly #engine: TruthEngine;
  readonly #sidecar: Sidecar;
  readonly #running: RunningHop;
  readonly #hop: HopChoice;

  private constructor(engine: TruthEngine, sidecar: Sidecar, running: RunningHop, hop: HopChoice) {
    this.#engine = engine;
    this.#sidecar = sidecar;
    this.#running = running;
    this.#hop = hop;
  }

  static async start(hop: HopChoice): Promise<Chain> {
    const engine = await TruthEngine.start();
    // The edge must know where the hop will be, the hop where the main listener is.
    const listenPort = await freePort();
    const sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      args: ['--edge', `${NAME}@127.0.0.1:0=http://127.0.0.1:${listenPort}`],
    });
    try {
      const running = await startHop(hop, { upstreamPort: sidecar.listenPort, listenPort, env: HOPS_ENV });
      return new Chain(engine, sidecar, running, hop);
    } catch (error) {
      await sidecar.stop();
      await engine.stop();
      throw error;
    }
  }

  /** One short answer. */
  async warmUp(): Promise<void> {
    const writes = RHYTHMS[0]?.writes.slice(-3).map(({ events }) => ({ atMs: 0, events })) ?? [];
    await this.run({ name: 'steady', title: 'a warm-up', writes });
  }

  async run(rhythm: Rhythm): Promise<Sights> {
    const { engineHeaders } = this.#hop.variant;
    const before = this.#sidecar.records().length;
    const target = { port: this.#sidecar.edgePort(NAME), request: this.#running.request, engineHeaders };
    const truth = await runStream(this.#engine, target, rhythm);
    const isNew = (index: number): boolean => index >= before;
    const outer = await this.#sidecar.record(
      'the outer sight',
      (record) => isNew(this.#indexOf(record)) && record.edge !== undefined,
    );
    const inner = await this.#sidecar.record(
      'the inner sight',
      (record) => isNew(this.#indexOf(record)) && record.edge === undefined && record.answer.streamed,
    );
    return { truth, outer: outer.record, inner: inner.record };
  }

  /** Streams of one rhythm side by side; the records in front of the hop and behind it. */
  async runMany(rhythm: Rhythm, count: number): Promise<{ outer: StreamRecord[]; inner: StreamRecord[] }> {
    const before = this.#sidecar.records().length;
    const target = { port: this.#sidecar.edgePort(NAME), request: this.#running.request };
    const { engineHeaders } = this.#hop.variant;
    await playMany(this.#engine, { ...target, engineHeaders }, rhythm, count);
    const entries = await this.#sidecar.recordsAfter(before, 2 * count);
    const records = entries.map(({ record }) => record);
    return {
      outer: records.filter(({ edge }) => edge !== undefined),
      inner: records.filter(({ edge, answer }) => edge === undefined && answer.streamed),
    };
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await this.#sidecar.stop();
    await this.#engine.stop();
  }

  #indexOf(record: StreamRecord): number {
    return this.#sidecar.records().findIndex((entry) => entry.record.id === record.id);
  }
}
