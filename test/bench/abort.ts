// How soon the engine sees that a client has left: by RST and by FIN, in each phase an exchange has,
// through rubato and directly, in turns. A raw client leaves, a raw engine notes when its end closes.
import { startRubato, type Contender } from './harness/contender.ts';
import { progress, report, type BenchResult, type Verdict } from './harness/report.ts';
import { largest, msOf, percentile, short } from './harness/stats.ts';
import { flood, leave, MuteEngine, untilStill, type Departure, type How } from '../support/departures.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, D, HEAD } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const TURN_COUNT = 5;
const P50_TARGET_MS = 2;
const PAUSED_P50_TARGET_MS = 6;
const P99_TARGET_MS = 10;

interface Phase extends Departure {
  readonly name: string;
  /** Departures a turn, each way. */
  readonly count: number;
  readonly p50TargetMs: number;
}

const endless = [at(0, HEAD), ...Array.from({ length: 400 }, (_, index) => at(index * 10, c(D('a'))))];
const PHASES: readonly Phase[] = [
  {
    name: 'during upload',
    count: 40,
    script: [],
    until: () => sleep(5),
    sent: (whole) => whole.subarray(0, -5),
    p50TargetMs: P50_TARGET_MS,
  },
  { name: 'before head', count: 40, script: [], until: () => sleep(5), p50TargetMs: P50_TARGET_MS },
  {
    name: 'after head',
    count: 40,
    script: [at(0, HEAD)],
    until: (client) => client.responseHead(),
    p50TargetMs: P50_TARGET_MS,
  },
  {
    name: 'mid-stream',
    count: 40,
    script: endless,
    until: (client) => client.bodyBytes(D('a').length * 3),
    p50TargetMs: P50_TARGET_MS,
  },
  { name: 'paused by back-pressure', count: 6, script: flood, until: untilStill, p50TargetMs: PAUSED_P50_TARGET_MS },
];

type Samples = Map<string, number[]>;

function add(samples: Samples, key: string, lengthNs: number): void {
  const known = samples.get(key);
  if (known === undefined) samples.set(key, [lengthNs]);
  else known.push(lengthNs);
}

/** One departure by each way and each kind of close. */
async function leaveEachWay(samples: Samples, engine: RawEngine, rubato: Contender, phase: Phase): Promise<void> {
  for (const [way, port] of Object.entries({ direct: engine.port, rubato: rubato.port })) {
    for (const how of ['rst', 'fin'] as const) {
      add(samples, `${phase.name}|${how}|${way}`, await leave(engine, port, how, phase));
    }
  }
}

async function measurePhases(samples: Samples, engine: RawEngine, rubato: Contender): Promise<void> {
  progress('abort: warming up');
  const unused: Samples = new Map();
  for (const phase of PHASES) for (let nth = 0; nth < 3; nth += 1) await leaveEachWay(unused, engine, rubato, phase);
  for (let turn = 1; turn <= TURN_COUNT; turn += 1) {
    progress(`abort: turn ${turn}/${TURN_COUNT}`);
    for (const phase of PHASES) {
      for (let nth = 0; nth < phase.count; nth += 1) await leaveEachWay(samples, engine, rubato, phase);
    }
  }
}

async function measureConnecting(samples: Samples): Promise<void> {
  const mute = await MuteEngine.start();
  const { port } = mute;
  const rubato = await startRubato('rubato', { enginePort: port, args: ['--upstream', `https://127.0.0.1:${port}`] });
  // The sidecar looks once whether its upstream is there; that connection is none of ours.
  await sleep(500);
  for (let nth = 0; nth < 100; nth += 1) {
    for (const how of ['rst', 'fin'] as const)
      add(samples, `connecting (TLS)|${how}|rubato`, await mute.leave(rubato.port, how));
  }
  await rubato.stop();
  mute.stop();
}

async function run(): Promise<BenchResult> {
  const samples: Samples = new Map();
  const engine = await RawEngine.start();
  const rubato = await startRubato('rubato', { enginePort: engine.port });
  await measurePhases(samples, engine, rubato);
  await rubato.stop();
  await engine.stop();
  await measureConnecting(samples);
  const names = ['connecting (TLS)', ...PHASES.map(({ name }) => name)];
  const of = (name: string, how: How, way: string): number[] => samples.get(`${name}|${how}|${way}`) ?? [];
  const ms = (values: readonly number[], percent: number): number => msOf(percentile(values, percent));
  const kinds = names.flatMap((name) => (['rst', 'fin'] as const).map((how) => ({ name, how })));
  return {
    name: 'abort',
    tables: [
      {
        title: 'Client leaves → the engine sees the close, in ms',
        head: ['phase', 'by', 'departures', 'direct p50', 'rubato p50', 'rubato p99', 'rubato worst'],
        rows: kinds.map(({ name, how }) => {
          const via = of(name, how, 'rubato');
          const figures = [ms(of(name, how, 'direct'), 50), ms(via, 50), ms(via, 99), msOf(largest(via))];
          return [name, how.toUpperCase(), String(via.length), ...figures.map(short)];
        }),
      },
    ],
    verdicts: kinds.flatMap(({ name, how }): Verdict[] => {
      const via = of(name, how, 'rubato');
      const target = PHASES.find((phase) => phase.name === name)?.p50TargetMs ?? P50_TARGET_MS;
      return [
        { what: `${name}, ${how.toUpperCase()}, p50`, value: ms(via, 50), target, unit: 'ms' },
        { what: `${name}, ${how.toUpperCase()}, p99`, value: ms(via, 99), target: P99_TARGET_MS, unit: 'ms' },
      ];
    }),
    figures: Object.fromEntries(
      [...samples].map(([key, values]) => [
        key,
        { count: values.length, p50Ms: ms(values, 50), p99Ms: ms(values, 99) },
      ]),
    ),
  };
}

await report(run);
