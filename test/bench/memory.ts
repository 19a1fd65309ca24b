// What an open stream costs in memory, against a bare `node:http` pipe in the same run: resident memory of
// the process with two thousand streams open, less that of the same process before, over the streams. Both run
// as they come, both with the bounded heap that rubato asks V8 for, and both with V8's own: what is slack of
// the collector and what a stream costs are two things.
import { HEAP_FLAGS } from '../../src/app/heap.ts';
import { sleep } from '../support/signal.ts';
import { startRubato, startScript, type Contender } from './harness/contender.ts';
import { LightEngine } from './harness/light-engine.ts';
import { Load, type LoadStream } from './harness/load.ts';
import { cpuSince, cpuTimeOf, residentKib } from './harness/processes.ts';
import { progress, report, type BenchResult } from './harness/report.ts';
import { largest, median, short, spreadText } from './harness/stats.ts';
import { openWaiting } from './harness/waiting-streams.ts';

const KIB = 1024;
const STREAM_COUNT = 2_000;
const CHUNK_COUNT = 300;
const CHUNK_EVERY_MS = 200;
const SETTLE_MS = 2_000;
const TURN_COUNT = 2;
const BEYOND_PIPE_MAX_KIB = 24;
/** V8's own default: said, it counts as a choice of the user, and rubato sets nothing. */
const UNHEAP_FLAGS = ['--semi-space-growth-factor=2'];

interface Turn {
  /** Beyond the idle process, KiB a stream: with one chunk each, at the end of all chunks, and at most. */
  readonly openKib: number;
  readonly endKib: number;
  readonly mostKib: number;
  readonly idleKib: number;
  readonly cpuUsPerChunk: number;
}

/** Each stream gets its next chunk in turn, spread over the time between two. */
async function feed(streams: readonly LoadStream[], onTick: () => void): Promise<void> {
  const beganAtMs = performance.now();
  const total = streams.length * CHUNK_COUNT;
  for (let given = 0; given < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - beganAtMs) / CHUNK_EVERY_MS) * streams.length));
    for (; given < due; given += 1) streams[given % streams.length]?.chunk();
    onTick();
    await sleep(5);
  }
}

async function turn(load: Load, { name, pid, port }: Contender): Promise<Turn> {
  await sleep(SETTLE_MS);
  const idleKib = residentKib(pid);
  const perStream = (): number => (residentKib(pid) - idleKib) / STREAM_COUNT;
  const streams = await openWaiting(load, port, STREAM_COUNT);
  await sleep(SETTLE_MS);
  const openKib = perStream();
  const sampled: number[] = [];
  const before = cpuTimeOf(pid);
  await feed(streams, () => sampled.push(perStream()));
  await sleep(SETTLE_MS);
  const cpuUsPerChunk = cpuSince(pid, before).totalNs / 1_000 / (STREAM_COUNT * CHUNK_COUNT);
  const endKib = perStream();
  for (const stream of streams) stream.answer?.end();
  await Promise.all(streams.map((stream) => stream.ended));
  const figures = { openKib, endKib, mostKib: largest([...sampled, endKib]), idleKib, cpuUsPerChunk };
  progress(`${name}: ${JSON.stringify(figures)}`);
  return figures;
}

interface Way {
  readonly name: string;
  readonly start: (enginePort: number) => Promise<Contender>;
  readonly turns: Turn[];
}

const PIPE = '../contenders/node-pipe.ts';
const WAYS: readonly Way[] = [
  { name: 'bare pipe', start: (port) => startScript('bare pipe', PIPE, [String(port)]), turns: [] },
  { name: 'rubato', start: (enginePort) => startRubato('rubato', { enginePort }), turns: [] },
  {
    name: 'bare pipe, bounded heap',
    start: (port) => startScript('bare pipe, bounded heap', PIPE, [String(port)], HEAP_FLAGS),
    turns: [],
  },
  {
    name: 'rubato, heap of V8',
    start: (enginePort) => startRubato('rubato, heap of V8', { enginePort, nodeArgs: UNHEAP_FLAGS }),
    turns: [],
  },
];

async function bench(): Promise<BenchResult> {
  const engine = await LightEngine.start();
  const load = new Load(engine);
  for (let nth = 1; nth <= TURN_COUNT; nth += 1) {
    for (const way of WAYS) {
      const contender = await way.start(engine.port);
      way.turns.push(await turn(load, contender));
      await contender.stop();
    }
  }
  await engine.stop();
  const of = (name: string, figure: keyof Turn): number[] =>
    (WAYS.find((way) => way.name === name)?.turns ?? []).map((each) => each[figure]);
  const beyond = (way: string, pipe: string): number => median(of(way, 'endKib')) - median(of(pipe, 'endKib'));
  const verdict = (what: string, value: number) => ({ what, value, target: BEYOND_PIPE_MAX_KIB, unit: 'KiB a stream' });
  return {
    name: 'memory',
    tables: [
      {
        title: `${STREAM_COUNT} streams × ${CHUNK_COUNT} chunks, KiB a stream beyond the idle process`,
        head: ['way', 'first chunk', 'last chunk', 'most', 'idle, MiB', 'CPU µs a chunk'],
        rows: WAYS.map(({ name }) => [
          name,
          spreadText(of(name, 'openKib')),
          spreadText(of(name, 'endKib')),
          spreadText(of(name, 'mostKib')),
          short(median(of(name, 'idleKib')) / KIB),
          spreadText(of(name, 'cpuUsPerChunk')),
        ]),
      },
    ],
    verdicts: [
      verdict('beyond the pipe, both as they come', beyond('rubato', 'bare pipe')),
      verdict('beyond the pipe, both with a bounded heap', beyond('rubato', 'bare pipe, bounded heap')),
      verdict('beyond the pipe, both with the heap of V8', beyond('rubato, heap of V8', 'bare pipe')),
    ],
    figures: Object.fromEntries(WAYS.map(({ name, turns }) => [name, turns])),
  };
}

await report(bench);
