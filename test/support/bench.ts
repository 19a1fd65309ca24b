// A wire test's bench: one engine, one sidecar in front of it, and runs of a script through the
// sidecar beside the same script played directly. Starts and ends with the test file.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { TlsOptions } from 'node:tls';
import { useClients } from './clients.ts';
import { expectExact, lateDeliveries } from './exact.ts';
import type { RawClient } from './raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange, type Script } from './raw-engine.ts';
import { chatRequest, type ChatParts } from './script.ts';
import { Sidecar, type RecordEntry, type SidecarOptions } from './sidecar.ts';
import type { WireMessage } from './wire-parser.ts';

/** A held byte is late each time; a busy machine is not. So lateness must show in this many runs. */
const PROMPT_ATTEMPTS = 3;

export interface CaseInput extends Omit<ChatParts, 'model'> {
  readonly script: Script;
}

/** One script played to its end, on one connection of its own. */
export interface Run {
  readonly client: RawClient;
  readonly exchange: EngineExchange;
  readonly response: WireMessage;
  /** Name in the request by which its record is found. */
  readonly model: string;
}

export interface Bench {
  readonly engine: RawEngine;
  readonly sidecar: Sidecar;
  /** A client connected to the sidecar; closed when the test is over. */
  client(): Promise<RawClient>;
  /** Plays the script to a client behind the sidecar, or to one connected directly. */
  run(input: CaseInput, direct?: 'direct'): Promise<Run>;
  /** Plays the script both ways, checks EXACT and PROMPT, and waits for the record. */
  check(input: CaseInput): Promise<Run & RecordEntry>;
  recordOf(run: Run): Promise<RecordEntry>;
}

export interface BenchOptions {
  readonly tls?: TlsOptions;
  readonly args?: readonly string[];
  readonly env?: SidecarOptions['env'];
  readonly nodeArgs?: SidecarOptions['nodeArgs'];
}

/** Call it at the top of a test file or of a `describe`; options may be made when the bench starts. */
export function useBench(given: BenchOptions | (() => BenchOptions | Promise<BenchOptions>) = {}): Bench {
  let engine: RawEngine | undefined;
  let sidecar: Sidecar | undefined;
  let runCount = 0;
  const open = useClients();

  beforeAll(async () => {
    const options = typeof given === 'function' ? await given() : given;
    engine = await RawEngine.start(options.tls);
    const scheme = options.tls === undefined ? 'http' : 'https';
    const { args, env, nodeArgs } = options;
    sidecar = await Sidecar.start({
      upstream: `${scheme}://127.0.0.1:${engine.port}`,
      ...(args === undefined ? {} : { args }),
      ...(env === undefined ? {} : { env }),
      ...(nodeArgs === undefined ? {} : { nodeArgs }),
    });
  });
  afterEach(() => {
    engine?.forgetPlans();
    expect(sidecar?.fault).toBeUndefined();
    expect(engine?.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await sidecar?.stop();
    await engine?.stop();
  });

  const bench: Bench = {
    get engine() {
      if (engine === undefined) throw new Error('the bench has not started');
      return engine;
    },
    get sidecar() {
      if (sidecar === undefined) throw new Error('the bench has not started');
      return sidecar;
    },
    client: () => open(bench.sidecar.listenPort),
    async run(input, direct) {
      runCount += 1;
      const model = `model-${runCount}`;
      const { script, lines = [], ...asked } = input;
      // Some APIs have the model in the path, which then counts.
      const parts = asked.target === undefined ? asked : { ...asked, target: asked.target.replace('{model}', model) };
      const plan = bench.engine.plan(script);
      const client = await open(direct === undefined ? bench.sidecar.listenPort : bench.engine.port);
      client.request(chatRequest({ ...parts, model, lines: [...lines, `${PLAN_FIELD}: ${plan.id}`] }));
      const response = await client.response(0);
      return { client, exchange: await plan.exchange, response, model };
    },
    async check(input) {
      let late: string[] = [];
      for (let attempt = 0; attempt < PROMPT_ATTEMPTS; attempt += 1) {
        const [direct, via] = await Promise.all([bench.run(input, 'direct'), bench.run(input)]);
        expectExact(direct);
        expectExact(via);
        late = lateDeliveries(direct, via);
        if (late.length === 0) return { ...via, ...(await bench.recordOf(via)) };
      }
      throw new Error(`late in each of ${PROMPT_ATTEMPTS} runs: ${late.join('; ')}`);
    },
    recordOf: (run) => bench.sidecar.record(run.model, (record) => record.request.model === run.model),
  };
  return bench;
}
