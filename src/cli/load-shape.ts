// How a load of `rubato load` arrives, how much of it and for how long: the flags of that, read and checked together.
import type { Command } from 'commander';
import {
  LOAD_COUNT_MAX,
  LOAD_DURATION_MAX_S,
  LOAD_OPEN_DEFAULT_COUNT,
  LOAD_OPEN_MAX_COUNT,
  LOAD_RATE_MAX_PER_S,
  LOAD_SWEEP_MAX_COUNT,
} from '../base/load-limits.ts';
import type { Arrivals } from '../client/load/arrivals.ts';
import { type Reader, readChoice, readInteger, show } from '../config/values.ts';
import type { FlagReader } from './flag-reader.ts';

export type LoadShape =
  | { readonly kind: 'open'; readonly arrivals: Arrivals; readonly concurrency: number }
  | { readonly kind: 'recorded'; readonly path: string; readonly speed: number; readonly concurrency: number }
  | { readonly kind: 'closed'; readonly concurrency: number }
  | { readonly kind: 'sweep'; readonly steps: readonly number[] };

const ARRIVALS = ['poisson', 'constant', 'gamma', 'on-off'] as const;
const RATE_DEFAULT = '2';
const SHAPE_DEFAULT = '0.5';
const BURST_DEFAULT = '2,8';
const DURATION_DEFAULT_S = 30;
const SWEEP_DURATION_DEFAULT_S = 10;
const SWEEP_DEFAULT = '1,2,4,8,16,32,64';
const MS_PER_S = 1e3;
const NS_PER_S = 1e9;

export function addShapeFlags(command: Command): Command {
  return command
    .option('--rate <N>', `requests a second, sent whether or not earlier ones have ended (default ${RATE_DEFAULT})`)
    .option('--arrivals <KIND>', `${ARRIVALS.join(', ')} (default poisson)`)
    .option(
      '--shape <N>',
      `of gamma: below 1 in bursts, above it more evenly than by chance (default ${SHAPE_DEFAULT})`,
    )
    .option('--burst <ON,OFF>', `of on-off: seconds with and without requests (default ${BURST_DEFAULT})`)
    .option('--trace <FILE>', 'arrivals and lengths of a record file of rubato, or of JSON lines or CSV')
    .option('--trace-speed <N>', 'how much faster than recorded (default 1)')
    .option('--concurrency <N>', 'without --rate: exactly so many at a time; with it: no more than so many')
    .option('--sweep [LIST]', `one run each with so many at a time (default ${SWEEP_DEFAULT})`)
    .option(
      '--duration <SECONDS>',
      `how long requests are due (default ${DURATION_DEFAULT_S}, in a sweep ${SWEEP_DURATION_DEFAULT_S} each)`,
    )
    .option('--count <N>', 'requests that are counted; alone it takes as long as it takes')
    .option('--warmup <SECONDS>', 'sent before, and in no figure (default 0)')
    .option('--drain <SECONDS>', 'how long the last ones may take (default 60)');
}

export function readShape(given: Command, flags: FlagReader, faults: string[]): LoadShape {
  const has = (name: string): boolean => given.getOptionValue(name) !== undefined;
  const most = flags.read('concurrency', String(LOAD_OPEN_DEFAULT_COUNT), readInteger(1, LOAD_OPEN_MAX_COUNT)) ?? 1;
  const ways = ['rate', 'trace', 'sweep'].filter(has);
  if (ways.length > 1) faults.push(`Give one of ${ways.map((name) => `--${name}`).join(', ')}.`);
  if (has('sweep') && has('concurrency'))
    faults.push('--sweep: its list says how many at a time; leave --concurrency out.');
  for (const name of ['arrivals', 'shape', 'burst']) {
    if (has(name) && (has('sweep') || has('trace'))) faults.push(`--${name}: needs --rate.`);
  }
  if (has('traceSpeed') && !has('trace')) faults.push('--trace-speed: needs --trace.');
  const speed = flags.read('traceSpeed', '1', readAmount(0.001, 1_000)) ?? 1;
  const arrivals = readArrivals(flags);
  if (has('sweep')) return { kind: 'sweep', steps: readSteps(given, faults) };
  if (has('trace')) return { kind: 'recorded', path: flags.text('trace') ?? '', speed, concurrency: most };
  // Who says how the requests are to arrive wants a rate; who only says how many at a time does not.
  if (has('concurrency') && !has('rate') && !has('arrivals')) return { kind: 'closed', concurrency: most };
  return { kind: 'open', arrivals, concurrency: most };
}

function readArrivals(flags: FlagReader): Arrivals {
  const perSecond = flags.read('rate', RATE_DEFAULT, readAmount(0.0001, LOAD_RATE_MAX_PER_S)) ?? 1;
  const kind = flags.read('arrivals', 'poisson', readChoice(ARRIVALS)) ?? 'poisson';
  const shape = flags.read('shape', SHAPE_DEFAULT, readAmount(0.01, 1_000)) ?? 1;
  const burst = flags.read('burst', BURST_DEFAULT, readPair) ?? { on: 1, off: 1 };
  if (kind === 'gamma') return { kind, perSecond, shape };
  if (kind !== 'on-off') return { kind, perSecond };
  return { kind: 'on_off', perSecond, onNs: Math.round(burst.on * NS_PER_S), offNs: Math.round(burst.off * NS_PER_S) };
}

/** A count alone takes as long as it takes; otherwise time ends the run. */
export function readExtent(
  flags: FlagReader,
  load: LoadShape,
): {
  readonly durationMs: number;
  readonly count: number | undefined;
} {
  const count = flags.readGiven('count', readInteger(1, LOAD_COUNT_MAX));
  const isBounded = count !== undefined || load.kind === 'recorded';
  const preset = load.kind === 'sweep' ? SWEEP_DURATION_DEFAULT_S : DURATION_DEFAULT_S;
  const fallback = isBounded ? LOAD_DURATION_MAX_S : preset;
  return { count, durationMs: flags.read('duration', String(fallback), readSpanMs(0.001)) ?? 0 };
}

function readSteps(given: Command, faults: string[]): readonly number[] {
  const list: unknown = given.getOptionValue('sweep');
  const steps = (typeof list === 'string' ? list : SWEEP_DEFAULT).split(',').map((part) => Number(part));
  const areFit = steps.every((step) => Number.isInteger(step) && step >= 1 && step <= LOAD_OPEN_MAX_COUNT);
  if (!areFit || steps.length > LOAD_SWEEP_MAX_COUNT)
    faults.push(`--sweep: expected up to ${LOAD_SWEEP_MAX_COUNT} whole numbers, such as ${SWEEP_DEFAULT}.`);
  return steps;
}

function readAmount(least: number, most: number): Reader<number> {
  return (raw) => {
    const value = typeof raw === 'string' && /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= least && value <= most) return { value };
    return { fault: `${show(raw)} is not a number from ${least} to ${most}` };
  };
}

export function readSpanMs(leastS: number): Reader<number> {
  return (raw) => {
    const read = readAmount(leastS, LOAD_DURATION_MAX_S)(raw);
    return 'value' in read ? { value: read.value * MS_PER_S } : { fault: `${read.fault} of seconds` };
  };
}

const readPair: Reader<{ readonly on: number; readonly off: number }> = (raw) => {
  const [on, off, ...more] = String(raw).split(',').map(Number);
  const areFit = [on, off].every((part) => part !== undefined && part > 0 && part <= LOAD_DURATION_MAX_S);
  if (areFit && more.length === 0) return { value: { on: on as number, off: off as number } };
  return { fault: `${show(raw)} is not two numbers of seconds, such as ${BURST_DEFAULT}` };
};

/** In words, for the page and the files. */
export function shapeText(load: LoadShape): string {
  switch (load.kind) {
    case 'sweep':
      return `closed loop, ${load.steps.join(', ')} at a time`;
    case 'closed':
      return `closed loop, ${load.concurrency} at a time`;
    case 'recorded':
      return `recorded arrivals${load.speed === 1 ? '' : `, ${load.speed} times as fast`}${mostText(load.concurrency)}`;
    case 'open':
      return `${arrivalsText(load.arrivals)}, ${load.arrivals.perSecond} requests/s${mostText(load.concurrency)}`;
  }
}

function arrivalsText(arrivals: Arrivals): string {
  switch (arrivals.kind) {
    case 'constant':
      return 'constant arrivals';
    case 'poisson':
      return 'Poisson arrivals';
    case 'gamma':
      return `Gamma arrivals of shape ${arrivals.shape}`;
    case 'on_off':
      return `arrivals for ${arrivals.onNs / NS_PER_S} s, then none for ${arrivals.offNs / NS_PER_S} s`;
  }
}

function mostText(concurrency: number): string {
  return concurrency === LOAD_OPEN_DEFAULT_COUNT ? '' : `, at most ${concurrency} at a time`;
}
