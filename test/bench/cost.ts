// What a proxy costs: CPU a chunk and added delay with 100 streams at 50 chunks/s each, how soon a burst
// of 100 new streams is served, and how many chunks a second go through at most. Contenders take turns.
import {
  cpuSince,
  cpuTimeOf,
  direct,
  startRubato,
  startScript,
  type Contender,
  type CpuTime,
} from './harness/contender.ts';
import { LightEngine } from './harness/light-engine.ts';
import { Load, type Delays, type LoadStream } from './harness/load.ts';
import { progress, report, type BenchResult } from './harness/report.ts';
import { median, msOf, percentile, spreadOf, spreadText } from './harness/stats.ts';

const TURN_COUNT = 3;
const STREAM_COUNT = 100;
const PACED = { streamCount: STREAM_COUNT, chunkCount: 150, everyMs: 20, forMs: 6_000 };
const BURST_COUNT = 5;
const BURST_MS = 20;
const SATURATE_MS = 3_000;
/** By then whatever a burst left to do behind its streams is done. */
const AFTERMATH_MS = 500;
const SCRAPE_MS = 1_000;

interface Turn {
  readonly delays: Delays;
  readonly cpu: CpuTime;
  readonly burstNs: readonly number[];
  /** Of the bursts, with what follows from their requests. */
  readonly burstCpu: CpuTime;
  /** Chunks a second at saturation, and CPU a chunk then. */
  readonly saturated: { readonly chunksPerSecond: number; readonly cpuUsPerChunk: number };
}

/** A burst of new streams within a moment: connect → first chunk of each. */
async function burst(load: Load, port: number): Promise<number[]> {
  const streams = Array.from({ length: STREAM_COUNT }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, (index * BURST_MS) / STREAM_COUNT));
    const stream = load.open(port, {
      onAnswer(self) {
        self.chunk();
        self.answer?.end();
      },
    });
    await stream.ended;
    return (stream.firstAtNs ?? NaN) - stream.openedAtNs;
  });
  return Promise.all(streams);
}

/** Each stream gets its next chunk as soon as the last one came: one on the way a stream, never more. */
async function saturate(load: Load, { port, pid }: Contender): Promise<Turn['saturated']> {
  let chunkCount = 0;
  let over = false;
  const next = (stream: LoadStream): void => {
    chunkCount += 1;
    if (over) stream.answer?.end();
    else stream.chunk();
  };
  const streams = Array.from({ length: STREAM_COUNT }, () => load.open(port, { onAnswer: next, onChunk: next }));
  await new Promise((resolve) => setTimeout(resolve, SATURATE_MS / 3));
  const [beforeCount, beforeMs, before] = [chunkCount, performance.now(), cpuTimeOf(pid)];
  await new Promise((resolve) => setTimeout(resolve, SATURATE_MS));
  const count = chunkCount - beforeCount;
  const seconds = (performance.now() - beforeMs) / 1_000;
  const cpuUsPerChunk = cpuSince(pid, before).totalNs / 1_000 / count;
  over = true;
  await Promise.all(streams.map((stream) => stream.ended));
  return { chunksPerSecond: count / seconds, cpuUsPerChunk };
}

async function turn(load: Load, contender: Contender): Promise<Turn> {
  const { port, pid } = contender;
  let cpu: CpuTime = cpuTimeOf(pid);
  const delays = await load.paced(port, PACED, (edge) => {
    cpu = edge === 'start' ? cpuTimeOf(pid) : cpuSince(pid, cpu);
  });
  const burstNs: number[] = [];
  const beforeBursts = cpuTimeOf(pid);
  for (let nth = 0; nth < BURST_COUNT; nth += 1) burstNs.push(...(await burst(load, port)));
  await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS));
  const burstCpu = cpuSince(pid, beforeBursts);
  return { delays, cpu, burstNs, burstCpu, saturated: await saturate(load, contender) };
}

/** Everything on: traces and metrics to a collector, a record file, a scrape each second. */
async function startEverything(enginePort: number, collector: Contender): Promise<Contender> {
  const rubato = await startRubato('rubato', { enginePort, collectorPort: collector.port });
  const scrapes = setInterval(() => void rubato.sidecar.admin('/metrics').catch(() => undefined), SCRAPE_MS);
  return {
    ...rubato,
    stop() {
      clearInterval(scrapes);
      return rubato.stop();
    },
  };
}

const usPerChunk = (turns: readonly Turn[], thread: keyof CpuTime): number[] =>
  turns.map(({ cpu, delays }) => cpu[thread] / 1_000 / delays.chunkNs.length);

/** Of the thread that serves: rubato's relay, the only one of the others. */
const servingUsPerRequest = (turns: readonly Turn[]): number[] =>
  turns.map(({ burstCpu, burstNs }) => (burstCpu.relayNs || burstCpu.mainNs) / 1_000 / burstNs.length);
const usPerRequest = (turns: readonly Turn[]): number[] =>
  turns.map(({ burstCpu, burstNs }) => burstCpu.totalNs / 1_000 / burstNs.length);
const burstP50Ms = (turns: readonly Turn[]): number[] => turns.map(({ burstNs }) => msOf(percentile(burstNs, 50)));

function pacedRow(name: string, turns: readonly Turn[], base: readonly Turn[]): string[] {
  const of = (percent: number) => (each: Turn) => msOf(percentile(each.delays.chunkNs, percent));
  const baseMs = median(base.map(of(50)));
  return [
    name,
    spreadText(usPerChunk(turns, 'totalNs')),
    spreadText(usPerChunk(turns, 'relayNs')),
    spreadText(usPerChunk(turns, 'mainNs')),
    spreadText(turns.map(of(50))),
    spreadText(turns.map((each) => of(50)(each) - baseMs)),
    spreadText(turns.map(of(99))),
  ];
}

function otherRow(name: string, turns: readonly Turn[]): string[] {
  const burstMs = (percent: number): number[] => turns.map(({ burstNs }) => msOf(percentile(burstNs, percent)));
  return [
    name,
    spreadText(burstMs(50)),
    spreadText(burstMs(99)),
    spreadText(servingUsPerRequest(turns)),
    spreadText(usPerRequest(turns)),
    spreadText(turns.map(({ saturated }) => saturated.chunksPerSecond)),
    spreadText(turns.map(({ saturated }) => saturated.cpuUsPerChunk)),
  ];
}

function figuresOf(turns: readonly Turn[]): unknown {
  return {
    cpuUsPerChunk: spreadOf(usPerChunk(turns, 'totalNs')),
    relayUsPerChunk: spreadOf(usPerChunk(turns, 'relayNs')),
    delayP50Ms: spreadOf(turns.map(({ delays }) => msOf(percentile(delays.chunkNs, 50)))),
    delayP99Ms: spreadOf(turns.map(({ delays }) => msOf(percentile(delays.chunkNs, 99)))),
    firstP50Ms: spreadOf(turns.map(({ delays }) => msOf(percentile(delays.firstNs, 50)))),
    burstP50Ms: spreadOf(burstP50Ms(turns)),
    servingUsPerRequest: spreadOf(servingUsPerRequest(turns)),
    usPerRequest: spreadOf(usPerRequest(turns)),
    chunksPerSecond: spreadOf(turns.map(({ saturated }) => saturated.chunksPerSecond)),
  };
}

async function run(): Promise<BenchResult> {
  const engine = await LightEngine.start();
  const load = new Load(engine);
  const collector = await startScript('collector', './otlp-sink.ts', ['200']);
  const enginePort = String(engine.port);
  const contenders = [
    direct(engine.port),
    await startScript('bare node:http pipe', '../contenders/node-pipe.ts', [enginePort]),
    await startScript('bare @fastify/http-proxy', '../contenders/http-proxy.ts', [enginePort]),
    await startEverything(engine.port, collector),
  ];
  const turns = new Map<string, Turn[]>(contenders.map(({ name }) => [name, []]));
  for (let nth = 0; nth < TURN_COUNT; nth += 1) {
    for (const contender of contenders) {
      progress(`cost: turn ${nth + 1}/${TURN_COUNT}, ${contender.name}`);
      turns.get(contender.name)?.push(await turn(load, contender));
    }
  }
  for (const contender of [...contenders, collector]) await contender.stop();
  await engine.stop();
  const of = (name: string): Turn[] => turns.get(name) ?? [];
  const rubatoUs = median(usPerChunk(of('rubato'), 'totalNs'));
  const bareUs = median(usPerChunk(of('bare @fastify/http-proxy'), 'totalNs'));
  const againstBare = (figure: (turns: readonly Turn[]) => number[]): number =>
    median(figure(of('rubato'))) / median(figure(of('bare @fastify/http-proxy')));
  const p50Ms = (name: string): number => median(of(name).map(({ delays }) => msOf(percentile(delays.chunkNs, 50))));
  return {
    name: 'cost',
    tables: [
      {
        title: `${STREAM_COUNT} streams × 50 chunks/s: CPU in µs a chunk, delay of a chunk in ms`,
        head: ['way', 'CPU, process', 'CPU, relay thread', 'CPU, main thread', 'delay p50', 'added p50', 'delay p99'],
        rows: [...turns].map(([name, each]) => pacedRow(name, each, of('direct'))),
      },
      {
        title: `${STREAM_COUNT} new streams within ${BURST_MS} ms (connect → first chunk, ms), and saturation`,
        head: [
          'way',
          'burst p50',
          'burst p99',
          'CPU µs a request, serving thread',
          'process',
          'chunks/s',
          'CPU µs a chunk',
        ],
        rows: [...turns].map(([name, each]) => otherRow(name, each)),
      },
    ],
    verdicts: [
      { what: 'CPU a chunk against bare http-proxy', value: rubatoUs / bareUs, target: 1.5, unit: '×' },
      {
        what: 'delay p50 beyond that of bare http-proxy',
        value: p50Ms('rubato') - p50Ms('bare @fastify/http-proxy'),
        target: 0.5,
        unit: 'ms',
      },
      {
        what: 'CPU a new request, serving thread, against bare http-proxy',
        value: againstBare(servingUsPerRequest),
        target: 0.8,
        unit: '×',
      },
      { what: 'burst p50 against bare http-proxy', value: againstBare(burstP50Ms), target: 0.8, unit: '×' },
    ],
    figures: Object.fromEntries([...turns].map(([name, each]) => [name, figuresOf(each)])),
  };
}

await report(run);
