// `rubato demo`: the main job within a minute, with an engine that comes along. Knows flags; the load and
// its summary stand in client/, the sidecar in app/.
import type { Command } from 'commander';
import type { PersonaName } from '../client/reference-engine/personas.ts';
import type { HostPort } from '../config/config.ts';
import { readChoice, readHostPort, readInteger } from '../config/values.ts';
import { configurationFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';
import { withStop } from './with-stop.ts';

/** Long enough for some hundred streams and a p99, short enough for one minute with its set-up. */
const SECONDS_DEFAULT = '15';
const SECONDS_MAX = 3_600;
const SEED_DEFAULT = '1';
const SEED_MAX = 4_294_967_295;

const HELP = `
Starts a reference engine and rubato before it on free ports of this machine, sends a mixed load of
interactive and batch exchanges, and ends with a summary: per class the time to first token and its
parts, the gaps between tokens, and the worst stream. Nothing leaves this machine.

Where engine, rubato and load run apart, such as in containers, each place runs one of them: --engine-only,
"rubato serve", --load-only. Each goes on until Ctrl-C.

Examples:
  rubato demo
  rubato demo --keep          stay up afterwards, to look at /metrics and /api
  rubato demo --seed 7        another engine and load; the same seed gives the same ones
  rubato demo --engine-only 127.0.0.1:8000 --engine-as vllm
                              an engine to try things with: streams made-up words and speaks as vLLM
  rubato demo --load-only http://127.0.0.1:8080
                              the load, gently, for such an engine`;

export function demoCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('see what rubato does, with an engine that comes along')
    .option('--keep', 'stay up with a gentle load until Ctrl-C')
    .option('--seed <N>', `numbers the engine and the load are made from (default ${SEED_DEFAULT})`)
    .option('--seconds <N>', `how long new exchanges are begun (default ${SECONDS_DEFAULT})`)
    .option('--engine-only <HOST:PORT>', 'only the engine, at this address')
    .option('--engine-as <NAME>', 'engine that it speaks as, with --engine-only, such as vllm (default reference)')
    .option('--load-only <URL>', 'only the load, sent there')
    .addHelpText('after', HELP);
  return async (given) => {
    const asked = await readGiven(given);
    return await withStop((stop) => runAsked(asked, io, stop));
  };
}

interface Asked {
  readonly keep: boolean;
  readonly seed: number;
  readonly seconds: number;
  readonly engineAt: HostPort | undefined;
  readonly persona: PersonaName;
  readonly loadTo: string | undefined;
}

async function readGiven(given: Command): Promise<Asked> {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const seed = flags.read('seed', SEED_DEFAULT, readInteger(0, SEED_MAX));
  const seconds = flags.read('seconds', SECONDS_DEFAULT, readInteger(1, SECONDS_MAX));
  const engineAt = flags.readGiven('engineOnly', readHostPort);
  const loadTo = flags.text('loadOnly');
  if (loadTo !== undefined && URL.parse(loadTo)?.protocol !== 'http:') faults.push('--load-only: is no http URL.');
  const persona = await readPersona(flags, engineAt !== undefined, faults);
  const ofTheWhole = ['keep', 'seconds'].filter((name) => given.getOptionValue(name) !== undefined);
  const halves = ['engineOnly', 'loadOnly'].filter((name) => flags.text(name) !== undefined);
  if (halves.length === 2) faults.push('Give either --engine-only or --load-only.');
  if (halves.length > 0) faults.push(...ofTheWhole.map((name) => `--${name}: is for the whole demo.`));
  if (faults.length > 0 || seed === undefined || seconds === undefined) throw configurationFailure(faults);
  return { keep: given.getOptionValue('keep') === true, seed, seconds, engineAt, persona, loadTo };
}

/** The table of engines is loaded only for who names one. */
async function readPersona(flags: FlagReader, hasPlace: boolean, faults: string[]): Promise<PersonaName> {
  if (flags.text('engineAs') === undefined) return 'reference';
  if (!hasPlace) faults.push('--engine-as: needs --engine-only.');
  const { PERSONAS } = await import('../client/reference-engine/personas.ts');
  const names = Object.keys(PERSONAS) as PersonaName[];
  return flags.read('engineAs', undefined, readChoice(names)) ?? 'reference';
}

/** What does the work is loaded only now: help need not wait for it. */
async function runAsked(asked: Asked, { stdout: out }: Io, stop: AbortSignal): Promise<number> {
  const { keep, seed, seconds, engineAt, persona, loadTo } = asked;
  if (engineAt !== undefined || loadTo !== undefined) {
    const { runEngineAlone, runLoadAlone } = await import('../client/demo-alone.ts');
    const shared = { seed, out, stop };
    return engineAt === undefined
      ? await runLoadAlone(loadTo ?? '', shared)
      : await runEngineAlone({ ...shared, ...engineAt, persona });
  }
  const [{ startSidecar }, { runDemo }] = await Promise.all([import('../app/sidecar.ts'), import('../client/demo.ts')]);
  return await runDemo({ startSidecar, keep, seed, seconds, out, stop });
}
