// `rubato load`: sends a load as users do and says what they would have felt. Knows flags, files and exit
// codes; the sending and the figures stand in client/load/.
import type { Command } from 'commander';
import type { Step } from '../client/load/csv-steps.ts';
import { lengthsText } from '../client/load/lengths.ts';
import type { LoadOptions } from '../client/load/options.ts';
import type { Schedule } from '../client/load/plan.ts';
import { reportLines } from '../client/load/report.ts';
import { LOAD_SCHEMA, type LoadResult } from '../client/load/result.ts';
import { checkTarget } from '../client/load/run-load.ts';
import { figuresOf, sweepLines, type SweepResult, type SweepStep } from '../client/load/sweep.ts';
import { TraceReader } from '../client/load/trace.ts';
import { wholeVerdict } from '../client/load/verdicts.ts';
import { modelOf } from '../client/probe/run-probe.ts';
import type { Met } from '../judge/slo/verdict.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure, readFailure, usageFailure } from './failures.ts';
import type { Io } from './io.ts';
import { touchFile } from './load-files.ts';
import { LOAD_HELP } from './load-help.ts';
import { addLoadFlags, type LoadFlags, readLoadFlags } from './load-options.ts';
import { LoadOutputs } from './load-outputs.ts';
import { promisedOf } from './load-promises.ts';
import { Restarter } from './load-restart.ts';
import { shapeText } from './load-shape.ts';
import { addSettingFlags, readSettings, runSettings, type SettingSweep } from './load-setting.ts';
import { finish } from './load-watch.ts';
import { readLines } from './read-lines.ts';
import { withStop } from './with-stop.ts';

export function loadCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  const whole = addLoadFlags(
    command
      .description('send a load as users do, and say what they would have felt')
      .argument('<url>', 'base or full path of the endpoint'),
  );
  addSettingFlags(whole).addHelpText('after', LOAD_HELP);
  return async (given) => {
    const flags = readLoadFlags(given, io.env);
    const settings = readSettings(given, 'faults' in flags ? undefined : flags);
    const faults = [...('faults' in flags ? flags.faults : []), ...settings.faults];
    if ('faults' in flags || faults.length > 0) throw usageFailure(faults);
    // What was measured until Ctrl-C is shown.
    return await withStop((signal) => run(flags, { io, signal, sweep: settings.sweep }));
  };
}

interface Around {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly sweep: SettingSweep | undefined;
}

async function run(flags: LoadFlags, { io, signal, sweep }: Around): Promise<number> {
  const specs = promisedOf(flags, io);
  for (const path of [flags.jsonFile, sweep?.svgFile]) if (path !== undefined && path !== '-') touchFile(path);
  const schedule = await scheduleOf(flags, io);
  const outputs = new LoadOutputs(flags, stepsOf(flags, sweep), io);
  try {
    if (sweep !== undefined) return await runValues(sweep, flags, { specs, schedule, signal, io, outputs });
    const options = await optionsOf(flags, { specs, schedule, signal, io });
    await check(options);
    const one = { flags, options, io, outputs };
    return flags.load.kind === 'sweep' ? await runSweep(one) : await runOnce(one);
  } finally {
    outputs.close();
  }
}

function stepsOf(flags: LoadFlags, sweep: SettingSweep | undefined): Step[] {
  if (sweep !== undefined) return sweep.values.map((value) => ({ name: sweep.name, value }));
  return concurrencies(flags).map((value) => ({ name: 'concurrency', value: String(value) }));
}

function concurrencies({ load }: LoadFlags): readonly number[] {
  return load.kind === 'sweep' ? load.steps : [];
}

async function runValues(
  sweep: SettingSweep,
  flags: LoadFlags,
  { outputs, ...found }: Found & { readonly outputs: LoadOutputs },
): Promise<number> {
  const restarter = new Restarter(sweep.restart, found.signal);
  try {
    await restarter.start(sweep.values[0] ?? '');
    const options = await optionsOf(flags, found);
    const steps = await runSettings(sweep, { flags, options, io: found.io, outputs, restarter, check });
    return bestExitCode(steps.map(({ result }) => result));
  } finally {
    await restarter.stop();
  }
}

/** What one load or a sweep of them needs. */
interface Run {
  readonly flags: LoadFlags;
  readonly options: LoadOptions;
  readonly io: Io;
  readonly outputs: LoadOutputs;
}

type Found = Pick<LoadOptions, 'specs' | 'schedule' | 'signal'> & { readonly io: Io };

/** Finds the model, and says what is going to be sent. */
async function optionsOf(flags: LoadFlags, { specs, schedule, signal, io }: Found): Promise<LoadOptions> {
  const { target, load } = flags;
  const model = await modelOf(flags);
  const say = flags.jsonFile === '-' ? io.err : io.out;
  say(`${target.url.origin}${target.url.pathname}, ${target.api.name}, model ${model}`);
  say(`${shapeText(load)}, seed ${flags.seed}`);
  for (const { name, share, promptTokens, outputTokens } of flags.classes) {
    const part = flags.classes.length > 1 ? `, share ${share}` : '';
    say(
      `class ${name}${part}: prompts of ${lengthsText(promptTokens)} tokens, answers of ${lengthsText(outputTokens)}`,
    );
  }
  return {
    ...flags,
    model,
    specs,
    schedule,
    scheduleText: shapeText(load),
    concurrency: load.kind === 'sweep' ? 1 : load.concurrency,
    withIds: flags.peer !== undefined,
    signal,
    listener: {},
  };
}

/** One request first, which is not counted: what is wrong with the endpoint is told at once, and once. */
async function check(options: LoadOptions): Promise<void> {
  const trouble = await checkTarget(options);
  if (trouble === undefined || options.signal.aborted) return;
  throw new CommandFailure(
    `The first request got no stream, so no load was sent. ${trouble.says}\n  → ${trouble.cure}`,
    EXIT.unavailable.code,
  );
}

async function scheduleOf({ load }: LoadFlags, io: Io): Promise<Schedule> {
  if (load.kind === 'open') return { kind: 'open', arrivals: load.arrivals };
  if (load.kind !== 'recorded') return { kind: 'closed' };
  const reader = new TraceReader();
  try {
    for await (const { text } of readLines(load.path)) if (!reader.add(text)) break;
  } catch (error) {
    throw readFailure(load.path, error) ?? error;
  }
  const { recorded, leftOutCount, isCut } = reader.finish(load.speed);
  if (leftOutCount > 0) io.err(`${load.path}: ${leftOutCount} lines say no moment, and were left out.`);
  if (isCut) io.err(`${load.path}: only its first ${recorded.length} arrivals were taken.`);
  if (recorded.length > 0) return { kind: 'recorded', recorded };
  throw usageFailure([`--trace: ${load.path} holds no arrival: no record, and no at_ms, at_s or timestamp.`]);
}

async function runOnce({ flags, options, io, outputs }: Run): Promise<number> {
  const result = await outputs.run(options, '');
  finish(flags, io, { page: ['', ...reportLines(result)], json: result });
  return exitCodeOf([result], wholeVerdict(result.verdicts));
}

async function runSweep({ flags, options, io, outputs }: Run): Promise<number> {
  const steps: SweepStep[] = [];
  for (const concurrency of concurrencies(flags)) {
    if (options.signal.aborted) break;
    const result = await outputs.run({ ...options, concurrency }, `${concurrency} at a time `);
    steps.push({ concurrency, result });
  }
  const json: SweepResult = { schema: LOAD_SCHEMA, sweep: steps };
  finish(flags, io, { page: ['', ...sweepLines(steps)], json });
  return bestExitCode(steps.map(({ result }) => result));
}

/** Of several runs: that of the best of them. */
function bestExitCode(results: readonly LoadResult[]): number {
  const verdicts = new Set(results.map(({ verdicts: each }) => wholeVerdict(each)));
  const best = (['true', 'unknown', 'false'] as const).find((met) => verdicts.has(met));
  return exitCodeOf(results, best);
}

/** Where not one token came, nothing was measured, whatever was promised. */
function exitCodeOf(results: readonly LoadResult[], met: Met | undefined): number {
  if (results.every((result) => (figuresOf(result)?.ttft.fromSent.count ?? 0) === 0)) return EXIT.unavailable.code;
  if (met === 'false') return EXIT.different.code;
  return met === 'unknown' ? EXIT.unsure.code : EXIT.ok.code;
}
