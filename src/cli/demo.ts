// `rubato demo`: the main job within a minute, with an engine that comes along. Knows flags and
// signals; the load and its summary stand in client/, the sidecar in app/.
import type { Command } from 'commander';
import { readInteger, type Reader } from '../config/values.ts';
import { configurationFailure } from './failures.ts';
import type { Io } from './io.ts';

/** Long enough for some hundred streams and a p99, short enough for one minute with its set-up. */
const SECONDS_DEFAULT = '15';
const SECONDS_MAX = 3_600;
const SEED_DEFAULT = '1';
const SEED_MAX = 4_294_967_295;

const HELP = `
Starts a reference engine and rubato before it on free ports of this machine, sends a mixed load of
interactive and batch exchanges, and ends with a summary: per class the time to first token and its
parts, the gaps between tokens, and the worst stream. Nothing leaves this machine.

Examples:
  rubato demo
  rubato demo --keep          stay up afterwards, to look at /metrics and /api
  rubato demo --seed 7        another engine and load; the same seed gives the same ones`;

export function demoCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('see what rubato does, with an engine that comes along')
    .option('--keep', 'stay up with a gentle load until Ctrl-C')
    .option('--seed <N>', `numbers the engine and the load are made from (default ${SEED_DEFAULT})`)
    .option('--seconds <N>', `how long new exchanges are begun (default ${SECONDS_DEFAULT})`)
    .addHelpText('after', HELP);
  return async (given) => {
    const faults: string[] = [];
    const seed = number(given, 'seed', SEED_DEFAULT, { read: readInteger(0, SEED_MAX), faults });
    const seconds = number(given, 'seconds', SECONDS_DEFAULT, { read: readInteger(1, SECONDS_MAX), faults });
    if (faults.length > 0) throw configurationFailure(faults);
    // Loaded only now: help need not wait for everything else.
    const [{ startSidecar }, { runDemo }] = await Promise.all([
      import('../app/sidecar.ts'),
      import('../client/demo.ts'),
    ]);
    const keep = given.getOptionValue('keep') === true;
    return await withStop((stop) => runDemo({ startSidecar, keep, seed, seconds, out: io.stdout, stop }));
  };
}

interface NumberFlag {
  readonly read: Reader<number>;
  readonly faults: string[];
}

function number(command: Command, name: string, fallback: string, { read, faults }: NumberFlag): number {
  const result = read(command.getOptionValue(name) ?? fallback);
  if ('value' in result) return result.value;
  faults.push(`--${name}: ${result.fault}.`);
  return 0;
}

/** Ctrl-C ends the load; a second one finds no handler of ours and ends the process at once. */
async function withStop(run: (stop: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const onSignal = (): void => {
    for (const signal of signals) process.removeListener(signal, onSignal);
    stop.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await run(stop.signal);
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
}
