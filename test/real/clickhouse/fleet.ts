// Two sidecars as a fleet has them, each in a region of its own, before one reference engine and on both sides of a
// gateway: one gateway holds what it passes, the other does not. What they saw stands in their record files.
import { startReferenceEngine, type ReferenceEngine } from '../../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../../src/client/stream-client.ts';
import { configFile } from '../../support/config-file.ts';
import { Gateway, type GatewayWay } from '../../support/gateway.ts';
import { Sidecar } from '../../support/sidecar.ts';

const NS_PER_MS = 1_000_000;

/** One class whose promise nothing can keep, one whose promise everything keeps, one of which nothing is promised. */
const CONFIG = `
classes:
  - name: strict
    objectives: [{ objective: ttft, max_ms: 1, target: 0.9 }]
  - name: lenient
    objectives: [{ objective: ttft, max_ms: 600000, target: 0.9 }]
  - name: free
`;

/** Sizes of prompts that lie in two buckets, and far from their edges. */
const PROMPT_TOKENS = { '0-256': 40, '1k-4k': 2_000 } as const;

export const REGIONS = ['eu', 'us'] as const;
export type Region = (typeof REGIONS)[number];

/** Exchanges of each class and size of prompt that a region gets. */
export const ASKED_COUNTS: Readonly<Record<Region, number>> = { eu: 4, us: 2 };
export const CLASSES = ['strict', 'lenient', 'free'] as const;

const WAYS: Readonly<Record<Region, GatewayWay>> = {
  eu: { name: 'until_end' },
  us: { name: 'passes' },
};

export interface Member {
  readonly region: Region;
  readonly sidecar: Sidecar;
}

export interface Fleet {
  readonly members: readonly Member[];
  stop(): Promise<void>;
}

export async function startFleet(otlpUrl: string): Promise<Fleet> {
  // One step in 25 stands still, so that each stream has a stall or two.
  const stall = { everySteps: 25, stallNs: 300 * NS_PER_MS };
  const model = { maxRunning: 8, stepTokens: 4_096, stepBaseNs: 12 * NS_PER_MS, decodeNs: 1, contextNs: 0 };
  const engine = await startReferenceEngine({
    persona: 'vllm',
    models: ['m'],
    model: { ...model, prefillNs: 20_000, stall },
  });
  const parts: { gateway: Gateway; member: Member }[] = [];
  for (const region of REGIONS) parts.push(await startMember(region, otlpUrl, engine));
  return {
    members: parts.map(({ member }) => member),
    async stop() {
      for (const { gateway, member } of parts) {
        await member.sidecar.stop();
        await gateway.stop();
      }
      await engine.close();
    },
  };
}

async function startMember(region: Region, otlpUrl: string, engine: ReferenceEngine) {
  const gateway = await Gateway.start({ way: WAYS[region] });
  const sidecar = await Sidecar.start({
    upstream: engine.url,
    args: ['--config', configFile(CONFIG), '--edge', `gateway@127.0.0.1:0=${gateway.url}`],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
      OTEL_RESOURCE_ATTRIBUTES: `region=${region},service.instance.id=rubato-${region}`,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '900',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  gateway.innerPort = sidecar.listenPort;
  return { gateway, member: { region, sidecar } };
}

/** Asks through the gateway for every class and size of prompt, a few at a time; all answers are heard to their end. */
export async function play({ region, sidecar }: Member): Promise<void> {
  const port = sidecar.edgePort('gateway');
  for (let round = 0; round < ASKED_COUNTS[region]; round += 1) {
    const asks = CLASSES.flatMap((name) =>
      Object.values(PROMPT_TOKENS).map((promptTokens) => ({ name, promptTokens })),
    );
    await Promise.all(
      asks.map(({ name, promptTokens }) =>
        sendRequest({
          url: `http://127.0.0.1:${port}/v1/chat/completions`,
          headers: { 'x-traffic-class': name },
          body: JSON.stringify({
            model: 'm',
            stream: true,
            stream_options: { include_usage: true },
            max_tokens: 40,
            ignore_eos: true,
            messages: [{ role: 'user', content: `${region} ${round} ${name}`.padEnd(4 * promptTokens, ' tempo') }],
          }),
        }),
      ),
    );
  }
}
