// A sidecar with everything switched on that has a metric, and a load in which everything happens that has one:
// streams through a gateway and past it, jobs, retries, clients that leave, refusals, reasoning, stalls of several
// causes, spans and metrics of an engine, figures of GPUs. Goes on until it is stopped.
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../../src/client/stream-client.ts';
import { configFile } from '../../support/config-file.ts';
import { exportEngineSpans, type EngineExporter } from '../../support/engine-exporter.ts';
import { Gateway } from '../../support/gateway.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { sleep } from '../../support/signal.ts';
import { flags } from '../engine/engine-process.ts';

const NS_PER_MS = 1_000_000;

/** A place for every kind of promise, a line before the engine, and no room in it for one class. */
export const CONFIG = `
classes:
  - { name: interactive, preset: chat }
  - name: batch
    preset: batch
    job: { deadline_s: 600, output_tokens_per_second_min: 0.001, valid_target: 0.99 }
  - name: unwanted
admission:
  max_running: 6
  classes:
    - { class: interactive, priority: 10, max_waiting: 200, max_wait_ms: 60000 }
    - { class: batch, max_running: 2, max_waiting: 20, max_wait_ms: 60000 }
    - { class: unwanted, max_running: 1, max_waiting: 0, max_wait_ms: 1 }
`;

/** Few seats and little cache, so that requests wait and are thrown out; and a step now and then that stands still. */
const MODEL: EngineModel = {
  maxRunning: 5,
  stepTokens: 1_024,
  stepBaseNs: 8 * NS_PER_MS,
  decodeNs: 100_000,
  contextNs: 50,
  prefillNs: 40_000,
  kvCapacityTokens: 6_000,
  paging: { blockTokens: 16 },
  prefixCache: { blockTokens: 16, maxBlocks: 200 },
  stall: { everySteps: 150, stallNs: 400 * NS_PER_MS },
};

/** What the reference engine's page of metrics lacks of a real vLLM's, which grows from look to look. */
function speculation(look: number): string {
  return [
    `vllm:spec_decode_num_draft_tokens_total{model_name="m"} ${look * 100}`,
    `vllm:spec_decode_num_accepted_tokens_total{model_name="m"} ${look * 70}`,
  ].join('\n');
}

const GPU_PAGE = [
  'DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-a"} 0.75',
  'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",UUID="GPU-a"} 0.25',
  'DCGM_FI_PROF_DRAM_ACTIVE{gpu="0",UUID="GPU-a"} 0.875',
  'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a"} 40960',
  'DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a"} 412.5',
].join('\n');

/** One look in so many at the engine's metrics brings nothing. */
const FAULT_EVERY_LOOKS = 7;
const ROUND_EVERY_MS = 1_500;

export interface Load {
  readonly sidecar: Sidecar;
  /** No more traffic; all that was begun is over. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLoad(otlpUrl: string): Promise<Load> {
  // Where rubato listens for spans is known only once it runs, and the engine has to run before.
  const late: { exporter?: EngineExporter } = {};
  const onSpans: EngineExporter['onSpans'] = (spans) => late.exporter?.onSpans(spans);
  const engine = await startReferenceEngine({ persona: 'vllm', models: ['m'], model: MODEL, onSpans });
  const pages = await servePages(engine);
  const gateway = await Gateway.start({ way: { name: 'timer', everyMs: 250 } });
  const sidecar = await Sidecar.start({
    upstream: engine.url,
    args: everythingOn(gateway.url, pages.url),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '900',
      OTEL_BSP_SCHEDULE_DELAY: '500',
    },
  });
  // What is asked through the gateway before it knows its way on is seen before it and never behind it.
  await chat({ port: sidecar.edgePort('gateway'), words: 'too early' });
  gateway.innerPort = sidecar.listenPort;
  late.exporter = exportEngineSpans('http/protobuf', sidecar.otlpUrl);
  const ending = new AbortController();
  const rounds = playRounds(sidecar, ending.signal);
  const quiet = async (): Promise<void> => {
    ending.abort();
    await rounds;
  };
  return {
    sidecar,
    quiet,
    async stop() {
      await quiet();
      await sidecar.stop();
      await late.exporter?.stop();
      await gateway.stop();
      await engine.close();
      pages.server.close();
    },
  };
}

function everythingOn(gatewayUrl: string, pagesUrl: string): string[] {
  const values = {
    config: configFile(CONFIG),
    edge: `gateway@127.0.0.1:0=${gatewayUrl}`,
    'engine-metrics': `${pagesUrl}/metrics`,
    'engine-metrics-interval': 0.5,
    'gpu-metrics': `${pagesUrl}/gpus`,
    'otlp-listen': '127.0.0.1:0',
    'engine-model': 'llama-3.1-8b',
    'engine-hardware': 'h100-sxm',
  };
  return [...flags(values), '--gen-ai-client-metrics'];
}

async function servePages(engine: ReferenceEngine): Promise<{ readonly url: string; readonly server: Server }> {
  let looks = 0;
  const server = createServer((asked, response) => {
    response.setHeader('content-type', 'text/plain');
    if (asked.url === '/gpus') return void response.end(`${GPU_PAGE}\n`);
    looks += 1;
    if (looks % FAULT_EVERY_LOOKS === 0) return void response.writeHead(500).end();
    void fetch(`${engine.url}/metrics`)
      .then((page) => page.text())
      .then((text) => response.end(`${text}${speculation(looks)}\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function playRounds(sidecar: Sidecar, ending: AbortSignal): Promise<void> {
  const open: Promise<unknown>[] = [];
  for (let round = 0; !ending.aborted; round += 1) {
    open.push(playRound(sidecar, round));
    await sleep(ROUND_EVERY_MS);
  }
  await Promise.all(open);
}

/** A bit of everything. What is the same in each round is made different by its number, or it would be a retry. */
function playRound(sidecar: Sidecar, round: number): Promise<unknown> {
  const [port, edge] = [sidecar.listenPort, sidecar.edgePort('gateway')];
  const job = { 'x-traffic-class': 'batch', 'x-job-id': `job-${round}`, 'x-job-size': '2' };
  const left = { port, words: `left and asked again ${round}`, tokens: 120 };
  const unwanted = { 'x-traffic-class': 'unwanted' };
  return Promise.all([
    chat({ port: edge, words: `through the gateway ${round}`, tokens: 50 }),
    chat({ port, words: `straight ${round}`, tokens: 60 }),
    chat({ port, words: `with thoughts ${round}`, tokens: 40, more: { reasoning_effort: 'high' } }),
    chat({ port, words: `a long prompt ${round} `.padEnd(6_000, ' tempo rubato'), tokens: 20 }),
    ...['one', 'two'].map((name) => chat({ port, words: `document ${name} of ${round}`, headers: job })),
    leave(left).then(() => chat(left)),
    // Nobody knows this model, and the second of these finds no room.
    chat({ port, words: 'nobody', more: { model: 'unknown' } }),
    ...['first', 'second'].map((name) => chat({ port, words: `${name} ${round}`, tokens: 60, headers: unwanted })),
  ]);
}

interface Chat {
  readonly port: number;
  readonly words: string;
  readonly tokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

function bodyOf({ words, tokens = 12, more = {} }: Chat): string {
  return JSON.stringify({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
    max_tokens: tokens,
    ignore_eos: true,
    messages: [{ role: 'user', content: words }],
    ...more,
  });
}

function chat(asked: Chat): Promise<unknown> {
  const headers = { 'x-traffic-class': 'interactive', ...asked.headers };
  return sendRequest({ url: `http://127.0.0.1:${asked.port}/v1/chat/completions`, headers, body: bodyOf(asked) });
}

/** A client that leaves with the first bytes of its answer. */
function leave(asked: Chat): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-traffic-class': 'interactive' };
    const options = { host: '127.0.0.1', port: asked.port, path: '/v1/chat/completions', method: 'POST', headers };
    const sent = request({ ...options, agent: false });
    sent.on('response', (response: IncomingMessage) => response.once('data', () => sent.destroy()));
    sent.on('error', () => undefined).on('close', () => resolve());
    sent.end(bodyOf(asked));
  });
}
