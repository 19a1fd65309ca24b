// `rubato load --sweep-setting`: the same load for each value of one setting of an engine, which the user's own
// command starts anew. Knows flags and the order of things; starting stands in load-restart.ts.
import type { Command } from 'commander';
import { LOAD_SWEEP_MAX_COUNT } from '../base/load-limits.ts';
import type { LoadOptions } from '../client/load/options.ts';
import { plotSvg } from '../client/load/plot.ts';
import { LOAD_SCHEMA } from '../client/load/result.ts';
import { pointsOf, SETTING_AXES, settingLines, type SettingStep } from '../client/load/setting-sweep.ts';
import { readInteger } from '../config/values.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';
import { writeWhole } from './load-files.ts';
import type { LoadFlags } from './load-options.ts';
import type { LoadOutputs } from './load-outputs.ts';
import type { RestartPlan, Restarter } from './load-restart.ts';
import { finish } from './load-watch.ts';

const READY_DEFAULT_S = '600';
const READY_MAX_S = 86_400;
const PLACE = '{value}';

export interface SettingSweep {
  readonly name: string;
  readonly values: readonly string[];
  readonly restart: RestartPlan;
  readonly svgFile: string | undefined;
}

export function addSettingFlags(command: Command): Command {
  return command
    .option('--sweep-setting <NAME=V1,V2>', 'values of one setting of the engine, each tried with the same load')
    .option('--restart-command <COMMAND>', `your own command, run by your shell with ${PLACE} replaced; see below`)
    .option('--ready-url <URL>', 'what answers when the engine is up (default: its list of models)')
    .option('--ready-timeout <SECONDS>', `longest wait for that (default ${READY_DEFAULT_S})`)
    .option('--svg <FILE>', 'write the plot of --sweep-setting as a picture');
}

/** `flags` is undefined where they have faults themselves; what is wrong here is told all the same. */
export function readSettings(
  given: Command,
  flags: LoadFlags | undefined,
): { readonly sweep: SettingSweep | undefined; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const reader = new FlagReader(given, faults);
  const text = reader.text('sweepSetting');
  const others = ['restartCommand', 'readyUrl', 'readyTimeout', 'svg'].filter(
    (name) => reader.text(name) !== undefined,
  );
  if (text === undefined) {
    if (others.length > 0)
      faults.push('--restart-command, --ready-url, --ready-timeout and --svg need --sweep-setting.');
    return { sweep: undefined, faults };
  }
  const [name = '', list = ''] = text.split(/=(.*)/s);
  const values = list.split(',');
  // They stand in a line that a shell reads; whoever needs more writes a script that takes a number.
  const areFit = values.length <= LOAD_SWEEP_MAX_COUNT && values.every((value) => /^[A-Za-z0-9_.:/+-]+$/.test(value));
  if (!/^[A-Za-z0-9_.-]+$/.test(name) || !areFit)
    faults.push(
      `--sweep-setting: expected NAME=V1,V2,… with up to ${LOAD_SWEEP_MAX_COUNT} values of letters, digits and . _ : / + -.`,
    );
  const command = reader.text('restartCommand') ?? '';
  if (!command.includes(PLACE)) faults.push(`--restart-command: expected a command with ${PLACE} in it.`);
  const ready = reader.text('readyUrl');
  const readyUrl = ready === undefined ? flags?.target.modelsUrl : (URL.parse(ready) ?? undefined);
  if (ready !== undefined && !/^https?:$/.test(readyUrl?.protocol ?? ''))
    faults.push('--ready-url: is no http:// or https:// URL.');
  const readyS = reader.read('readyTimeout', READY_DEFAULT_S, readInteger(1, READY_MAX_S)) ?? 1;
  if (flags?.load.kind === 'sweep')
    faults.push('--sweep-setting: leave --sweep out; each value is tried with one load.');
  if (readyUrl === undefined || faults.length > 0) return { sweep: undefined, faults };
  const insecure = flags?.tls.insecure === true;
  const restart = { command, readyUrl, readyMaxMs: readyS * 1_000, insecure };
  return { sweep: { name, values, restart, svgFile: reader.text('svg') }, faults };
}

export interface SettingRun {
  readonly flags: LoadFlags;
  readonly options: LoadOptions;
  readonly io: Io;
  readonly outputs: LoadOutputs;
  /** Has started the first value already. */
  readonly restarter: Restarter;
  readonly check: (options: LoadOptions) => Promise<void>;
}

export async function runSettings(sweep: SettingSweep, run: SettingRun): Promise<readonly SettingStep[]> {
  const { flags, options, io, outputs, restarter, check } = run;
  const steps: SettingStep[] = [];
  for (const [index, value] of sweep.values.entries()) {
    if (index > 0) await restarter.start(value);
    if (options.signal.aborted) break;
    await check(options);
    steps.push({ value, result: await outputs.run(options, `${sweep.name} ${value} `) });
  }
  const json = { schema: LOAD_SCHEMA, setting: sweep.name, sweep: steps };
  finish(flags, io, { page: ['', ...settingLines(sweep.name, steps)], json });
  const title = `${sweep.name}: ${SETTING_AXES.y} against ${SETTING_AXES.x}`;
  if (sweep.svgFile !== undefined) writeWhole(sweep.svgFile, plotSvg(pointsOf(steps), { ...SETTING_AXES, title }));
  return steps;
}
