// Whether a collector at fault or a blocked main thread is felt by streams: the delay rubato adds to a
// chunk, undisturbed and disturbed in turns, each with a sidecar of its own that has just started.
import { createServer, type AddressInfo } from 'node:net';
import { direct, startRubato, startScript, type Contender, type Rubato } from './harness/contender.ts';
import { LightEngine } from './harness/light-engine.ts';
import { Load } from './harness/load.ts';
import { progress, report, type BenchResult, type Verdict } from './harness/report.ts';
import { largest, msOf, percentile, spreadOf, spreadText } from './harness/stats.ts';

const RUN_COUNT = 3;
/** Streams of 1.5 s one after the other, so that spans and records come while others run. */
const PACED = { streamCount: 40, chunkCount: 75, everyMs: 20, forMs: 6_000 };
const BLOCK_MS = 2_000;
const BLOCK_AT_MS = 1_500;
const RATIO_TARGET = 1.2;
const WORST_TARGET_MS = 30;
const PRELOAD = new URL('../support/block-main.ts', import.meta.url).href;

/** What is wrong; `mood` is the collector's, `closed` means that nobody listens there. */
interface Fault {
  readonly name: string;
  readonly mood: '200' | '413' | '429' | 'hang' | 'closed';
  readonly blocksMain?: boolean;
}

const UNDISTURBED: Fault = { name: 'undisturbed', mood: '200' };
/** The first compares a turn with another of the same: what the machine alone does to the figures. */
const CONTROL = 'nothing (control)';
const FAULTS: readonly Fault[] = [
  { name: CONTROL, mood: '200' },
  { name: 'collector refuses', mood: 'closed' },
  { name: 'collector hangs 30 s', mood: 'hang' },
  { name: 'collector answers 429', mood: '429' },
  { name: 'collector answers 413', mood: '413' },
  { name: 'main blocked 2 s', mood: '200', blocksMain: true },
];

/** A port at which nobody listens: it was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Turn {
  readonly p50Ns: number;
  readonly worstNs: number;
  /** Of the tape, and of exports: what the fault cost, for the table. */
  readonly droppedText: string;
}

async function play(load: Load, contender: Contender, onStart: () => void = () => undefined): Promise<Turn> {
  const { chunkNs } = await load.paced(contender.port, PACED, (edge) => {
    if (edge === 'start') onStart();
  });
  return { p50Ns: percentile(chunkNs, 50), worstNs: largest(chunkNs), droppedText: '–' };
}

async function playFault(load: Load, fault: Fault): Promise<Turn> {
  const collector =
    fault.mood === 'closed' ? undefined : await startScript('collector', './otlp-sink.ts', [fault.mood]);
  const rubato = await startRubato(fault.name, {
    enginePort: load.enginePort,
    collectorPort: collector?.port ?? (await closedPort()),
    nodeArgs: ['--import', PRELOAD],
    // Less patience than by default, so that failures come again and again within a turn.
    env: { TEST_BLOCK_MS: String(BLOCK_MS), OTEL_EXPORTER_OTLP_TIMEOUT: '2000', OTEL_METRIC_EXPORT_TIMEOUT: '1500' },
  });
  const turn = await play(load, rubato, () => {
    if (fault.blocksMain) setTimeout(() => process.kill(rubato.pid ?? 0, 'SIGUSR2'), BLOCK_AT_MS);
  });
  const droppedText = await droppedOf(rubato);
  await rubato.stop();
  await collector?.stop();
  return { ...turn, droppedText };
}

async function droppedOf({ sidecar }: Rubato): Promise<string> {
  const samples = await sidecar.metrics();
  const sum = (name: string): number =>
    samples.filter((sample) => sample.name === name).reduce((total, { value }) => total + value, 0);
  return `${sum('rubato_self_tape_dropped_total')} / ${sum('rubato_self_export_dropped_total')}`;
}

/** One comparison: an undisturbed turn, and right after it a disturbed one. */
interface Pair {
  readonly undisturbed: Turn;
  readonly disturbed: Turn;
  /** Delay of the same load without any proxy, p50. */
  readonly directNs: number;
}

const addedRatio = ({ undisturbed, disturbed, directNs }: Pair): number =>
  (disturbed.p50Ns - directNs) / (undisturbed.p50Ns - directNs);
const worstMoreMs = ({ undisturbed, disturbed }: Pair): number => msOf(disturbed.worstNs - undisturbed.worstNs);

function rowOf(name: string, pairs: readonly Pair[]): string[] {
  const ms = (read: (pair: Pair) => number): string => spreadText(pairs.map((pair) => msOf(read(pair))));
  return [
    name,
    ms(({ undisturbed, directNs }) => undisturbed.p50Ns - directNs),
    ms(({ disturbed, directNs }) => disturbed.p50Ns - directNs),
    spreadText(pairs.map(addedRatio)),
    ms(({ undisturbed }) => undisturbed.worstNs),
    ms(({ disturbed }) => disturbed.worstNs),
    pairs.map(({ disturbed }) => disturbed.droppedText).join(', '),
  ];
}

/** Three of three: the worst pair decides. */
function verdictsOf(name: string, pairs: readonly Pair[]): Verdict[] {
  return [
    {
      what: `${name}: added delay p50, worst run`,
      value: largest(pairs.map(addedRatio)),
      target: RATIO_TARGET,
      unit: '×',
    },
    {
      what: `${name}: worst delay more, worst run`,
      value: largest(pairs.map(worstMoreMs)),
      target: WORST_TARGET_MS,
      unit: 'ms',
    },
  ];
}

async function run(): Promise<BenchResult> {
  const engine = await LightEngine.start();
  const load = new Load(engine);
  const pairs = new Map<string, Pair[]>(FAULTS.map(({ name }) => [name, []]));
  await play(load, direct(engine.port));
  for (let nth = 1; nth <= RUN_COUNT; nth += 1) {
    const { p50Ns: directNs } = await play(load, direct(engine.port));
    for (const fault of FAULTS) {
      progress(`harmless: run ${nth}/${RUN_COUNT}, ${fault.name}`);
      const undisturbed = await playFault(load, UNDISTURBED);
      pairs.get(fault.name)?.push({ undisturbed, disturbed: await playFault(load, fault), directNs });
    }
  }
  await engine.stop();
  return {
    name: 'harmless',
    tables: [
      {
        title: `${PACED.streamCount} streams × 50 chunks/s, delay of a chunk in ms, ${RUN_COUNT} runs`,
        head: [
          'fault',
          'added p50 without',
          'added p50 with',
          'ratio',
          'worst without',
          'worst with',
          'dropped (tape / export)',
        ],
        rows: [...pairs].map(([name, each]) => rowOf(name, each)),
      },
    ],
    verdicts: [...pairs].filter(([name]) => name !== CONTROL).flatMap(([name, each]) => verdictsOf(name, each)),
    figures: Object.fromEntries(
      [...pairs].map(([name, each]) => [
        name,
        {
          addedRatio: spreadOf(each.map(addedRatio)),
          worstMoreMs: spreadOf(each.map(worstMoreMs)),
          worstMs: spreadOf(each.map(({ disturbed }) => msOf(disturbed.worstNs))),
        },
      ]),
    ),
  };
}

await report(run);
