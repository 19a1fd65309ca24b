// `rubato doctor`: what a user would otherwise find out slowly, one line each with the cure. Knows flags
// and the page; what is looked at stands in app/doctor/.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Finding, Status } from '../app/doctor/check.ts';
import type { TrialOptions } from '../app/doctor/trial-client.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { readInteger } from '../config/values.ts';
import { checkOtelEnvironment } from '../telemetry/otel-environment.ts';
import { addConfigFlags, givenFlags, strayArguments } from './config-flags.ts';
import { EXIT } from './exit-codes.ts';
import { configurationFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';

const ANSWER_DEFAULT_S = '60';
const ANSWER_MAX_S = 3_600;

const HELP = `
Takes the same flags, variables and YAML file as "rubato serve" and says what would happen with them.
It sends three short streaming requests (16 tokens each) through a rubato of its own on a free port,
so what it tells of the engine is what rubato would see in your traffic, and one through each hop of
--edge. With --no-request none is sent.

Each line is one of:
  ok    as it should be
  note  works, and rubato could tell more: the cure says how
  warn  will hurt figures or traffic
  FAIL  rubato cannot do its work
  -     could not be looked at

Examples:
  rubato doctor --upstream http://127.0.0.1:8000
  rubato doctor --upstream https://api.example.com --key-env API_KEY --model some-model
  rubato doctor --config rubato.yaml --json | jq '.findings[] | select(.status != "ok")'

Exit code: 0 when nothing failed, 1 when something did; --strict counts warnings as well.`;

export function doctorCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  addConfigFlags(
    command
      .description('check upstream, evidence, hops, collector, ports and machine, with the cure for each fault')
      .option('--model <NAME>', 'model to ask for (default: the first that the upstream lists)')
      .option('--path <PATH>', 'path of the streaming request (default: each known one until one answers)')
      .option('--key-env <NAME>', 'environment variable that holds the API key; the key itself is never shown')
      .option('--answer-max <SECONDS>', `longest wait for one answer (default ${ANSWER_DEFAULT_S})`)
      .option('--no-request', 'send no request to the engine')
      .option('--strict', 'exit 1 for warnings too')
      .option('--json', 'one JSON object instead of the lines'),
  ).addHelpText('after', HELP);
  return async (given) => {
    const { config, trialOptions } = readGiven(given, io);
    const isJson = given.getOptionValue('json') === true;
    const [{ runTrial }, { runEdgeTrials }, { runChecks }] = await Promise.all([
      import('../app/doctor/trial.ts'),
      import('../app/doctor/edge-trial.ts'),
      import('../app/doctor/run.ts'),
    ]);
    const wantsRequest = given.getOptionValue('request') !== false;
    const trial = wantsRequest ? await runTrial(config, trialOptions) : undefined;
    const edgeTrials = wantsRequest ? await runEdgeTrials(config, trialOptions) : [];
    const findings = await runChecks({ config, env: process.env, trial, edgeTrials }, (finding) => {
      if (!isJson) io.out(line(finding));
    });
    const isSound = isWellEnough(findings, given.getOptionValue('strict') === true);
    if (isJson) io.out(JSON.stringify({ ok: isSound, findings }));
    else io.out(summary(findings));
    return isSound ? EXIT.ok.code : EXIT.different.code;
  };
}

function readGiven(given: Command, io: Io): { config: Config; trialOptions: TrialOptions } {
  const loaded = loadConfig({
    flags: givenFlags(given),
    env: process.env,
    execArgv: process.execArgv,
    platform: process.platform,
    readFile: (path) => readFileSync(path, 'utf8'),
    checks: [checkOtelEnvironment, () => strayArguments(given)],
  });
  const faults: string[] = 'faults' in loaded ? [...loaded.faults] : [];
  const flags = new FlagReader(given, faults);
  const answerMaxS = flags.read('answerMax', ANSWER_DEFAULT_S, readInteger(1, ANSWER_MAX_S)) ?? 0;
  const keyEnv = flags.text('keyEnv');
  const apiKey = keyEnv === undefined ? undefined : process.env[keyEnv];
  if (keyEnv !== undefined && apiKey === undefined) faults.push(`--key-env: there is no variable ${keyEnv}.`);
  const isJson = given.getOptionValue('json') === true;
  if (faults.length > 0 || 'faults' in loaded) {
    const findings: Finding[] = faults.map((says) => ({ check: 'configuration', status: 'fail', says }));
    // Whoever reads JSON gets JSON, whatever it was.
    if (isJson) io.out(JSON.stringify({ ok: false, findings }));
    throw configurationFailure(faults);
  }
  return {
    config: loaded.config,
    trialOptions: {
      path: flags.text('path'),
      model: flags.text('model'),
      apiKey,
      answerMaxMs: answerMaxS * 1000,
      onStep: (step) => {
        if (!isJson) io.err(`… ${step}`);
      },
    },
  };
}

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok  ', note: 'note', warn: 'warn', fail: 'FAIL', skip: '-   ' };

function line({ check, status, says, cure }: Finding): string {
  return `${MARKS[status]}  ${check}: ${says}${cure === undefined ? '' : `\n        → ${cure}`}`;
}

function summary(findings: readonly Finding[]): string {
  const counts = (['fail', 'warn', 'note'] as const).map((status) => {
    const count = findings.filter((finding) => finding.status === status).length;
    return { status, count };
  });
  const parts = counts.filter(({ count }) => count > 0).map(({ status, count }) => `${count} ${status}`);
  return parts.length === 0 ? '\nAll is well.' : `\n${parts.join(', ')}; the rest is well.`;
}

function isWellEnough(findings: readonly Finding[], strict: boolean): boolean {
  return findings.every(({ status }) => status !== 'fail' && !(strict && status === 'warn'));
}
