// A hop between two looks of one rubato: client → edge → hop → main listener → engine, with raw sockets at both
// ends of it all and the kernel's stamps of what went into the hop and came out of it. What rubato says is read from
// its record file, what happened from the others.
import type { HopChoice } from '../../../src/client/hops/load.ts';
import { startHop, type RunningHop } from '../../../src/client/hops/start.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { HOPS_ENV } from '../installed.ts';
import { RHYTHMS, type Rhythm } from '../truth/rhythms.ts';
import { PacketTap } from '../truth/packet-tap.ts';
import { growthOfAnswer, playMany, runStream, type StreamTruth } from '../truth/run-stream.ts';
import type { Growth } from '../truth/text-growth.ts';
import { TruthEngine } from '../truth/truth-engine.ts';

const NAME = 'hop';
/** Code that has run so often is quick enough to see the end of a handshake when it comes. */
const WARM_UP_COUNT = 40;
const WARM_UP_EVERY_MS = 12;
/** Wall clocks of two processes are one, read to the millisecond. */
const CLOCK_SLACK_MS = 1;

/** The text as it grew on the wire, directly behind the hop and directly before it; moments on one clock. */
export interface WireTruth {
  readonly inner: readonly Growth[];
  readonly outer: readonly Growth[];
}

export interface Sights {
  readonly truth: StreamTruth;
  /** Absent where this machine does not let packets be seen. */
  readonly wire?: WireTruth;
  /** In front of the hop. */
  readonly outer: StreamRecord;
  /** Behind it: the one with the whole answer. */
  readonly inner: StreamRecord;
}

interface Parts {
  readonly engine: TruthEngine;
  readonly sidecar: Sidecar;
  readonly running: RunningHop;
  readonly hop: HopChoice;
  readonly tap: PacketTap | undefined;
}

export class Chain {
  readonly #engine: TruthEngine;
  readonly #sidecar: Sidecar;
  readonly #running: RunningHop;
  readonly #hop: HopChoice;
  readonly #tap: PacketTap | undefined;

  private constructor(parts: Parts) {
    this.#engine = parts.engine;
    this.#sidecar = parts.sidecar;
    this.#running = parts.running;
    this.#hop = parts.hop;
    this.#tap = parts.tap;
  }

  /** `tapped`: with the kernel's stamps, where they can be had. */
  static async start(hop: HopChoice, tapped = false): Promise<Chain> {
    const engine = await TruthEngine.start();
    // The edge must know where the hop will be, the hop where the main listener is.
    const listenPort = await freePort();
    const sidecar = await Sidecar.start({
      upstream: `http://127.0.0.1:${engine.port}`,
      args: ['--edge', `${NAME}@127.0.0.1:0=http://127.0.0.1:${listenPort}`],
    });
    try {
      const running = await startHop(hop, { upstreamPort: sidecar.listenPort, listenPort, env: HOPS_ENV });
      const tap = tapped ? await PacketTap.start([running.port, sidecar.listenPort]) : undefined;
      return new Chain({ engine, sidecar, running, hop, tap });
    } catch (error) {
      await sidecar.stop();
      await engine.stop();
      throw error;
    }
  }

  /**
   * A gateway does much only once; and a sidecar that has run for a while has made some connections, of which the
   * quickest handshake says how long the way is.
   */
  async warmUp(): Promise<void> {
    const events = RHYTHMS[0]?.writes.slice(-3).map((write) => write.events) ?? [];
    const warmUp = (atMs: number): Rhythm => ({
      name: 'steady',
      title: 'a warm-up',
      writes: events.map((each) => ({ atMs, events: each })),
    });
    await this.run(warmUp(0));
    await this.runMany(warmUp(WARM_UP_COUNT * WARM_UP_EVERY_MS), WARM_UP_COUNT, WARM_UP_EVERY_MS);
    await this.#tap?.take();
  }

  async run(rhythm: Rhythm): Promise<Sights> {
    const { engineHeaders } = this.#hop.variant;
    const startEpochMs = Date.now() - CLOCK_SLACK_MS;
    const target = { port: this.#sidecar.edgePort(NAME), request: this.#running.request, engineHeaders };
    const truth = await runStream(this.#engine, target, rhythm);
    // Records of what was before may still come.
    const isOwn = ({ openedAtEpochMs, answer }: StreamRecord): boolean =>
      openedAtEpochMs >= startEpochMs && answer.streamed;
    const outer = await this.#sidecar.record('the outer sight', (one) => isOwn(one) && one.edge !== undefined);
    const inner = await this.#sidecar.record('the inner sight', (one) => isOwn(one) && one.edge === undefined);
    const wire = await this.#wireTruth();
    return { truth, ...(wire === undefined ? {} : { wire }), outer: outer.record, inner: inner.record };
  }

  /** Streams of one rhythm side by side, one begun after the other; the records in front of the hop and behind it. */
  async runMany(rhythm: Rhythm, count: number, everyMs = 0): Promise<{ outer: StreamRecord[]; inner: StreamRecord[] }> {
    const before = this.#sidecar.records().length;
    const target = { port: this.#sidecar.edgePort(NAME), request: this.#running.request };
    const { engineHeaders } = this.#hop.variant;
    await playMany(this.#engine, { ...target, engineHeaders }, rhythm, { count, everyMs });
    const entries = await this.#sidecar.recordsAfter(before, 2 * count);
    const records = entries.map(({ record }) => record);
    return {
      outer: records.filter(({ edge }) => edge !== undefined),
      inner: records.filter(({ edge, answer }) => edge === undefined && answer.streamed),
    };
  }

  async #wireTruth(): Promise<WireTruth | undefined> {
    const answers = await this.#tap?.take();
    if (answers === undefined) return undefined;
    const growthAt = (port: number): Growth[] => {
      const all = answers.get(port) ?? [];
      const stream = all.findLast((answer) => answer.values('content-type')[0]?.startsWith('text/event-stream'));
      if (stream === undefined) throw new Error(`no stream was seen on the wire from port ${port}`);
      return growthOfAnswer(stream);
    };
    return { inner: growthAt(this.#sidecar.listenPort), outer: growthAt(this.#running.port) };
  }

  async stop(): Promise<void> {
    await this.#tap?.stop();
    await this.#running.stop();
    await this.#sidecar.stop();
    await this.#engine.stop();
  }
}
