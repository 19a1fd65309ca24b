// `rubato grade`: a report card of a gateway. Knows flags, files and exit codes; what is asked and how it is
// judged stands in client/grade/.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { nowNs } from '../base/clock.ts';
import type { GradeEngine, Way } from '../client/grade/drive.ts';
import type { Grading } from '../client/grade/grade.ts';
import type { HostPort } from '../config/config.ts';
import { readHostPort, readInteger } from '../config/values.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure, usageFailure } from './failures.ts';
import { collect, FlagReader, readFields } from './flag-reader.ts';
import type { Io } from './io.ts';

const NS_PER_MS = 1e6;
const ENGINE_DEFAULT = '127.0.0.1:18000';
const WAIT_DEFAULT_S = '300';
const WAIT_MAX_S = 86_400;
const LOOK_MS = 1_000;

const HELP = `
Starts an engine whose every write is known, asks it directly and through the gateway, and says what the
gateway adds: to the first token, to gaps, to the size of reads; what it holds, changes, and whether it tells
the engine when a client leaves. Takes about a minute. No model, no key and no network are needed.

Examples:
  rubato grade --recipe nginx/default      start a gateway from a recipe (it has to be installed)
  rubato grade --recipe list               name the recipes
  rubato grade --gateway http://127.0.0.1:4000 --engine-listen 127.0.0.1:18000
                                           wait until your gateway leads to the engine, then grade it
  rubato grade --gateway http://127.0.0.1:8787 --header 'x-portkey-provider: openai' --html card.html

Exit code: 0 when it could be graded; with --strict 1 when something bad was found.`;

export function gradeCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('a report card of a gateway: what it holds, adds and changes')
    .option('--gateway <URL>', 'gateway that leads, or will lead, to the engine of this command')
    .option('--recipe <NAME>', 'start the gateway from a recipe, such as nginx/default; "list" names them')
    .option(
      '--engine-listen <HOST:PORT>',
      `where that engine listens (default ${ENGINE_DEFAULT}; any port for recipes)`,
    )
    .option('--wait <SECONDS>', `longest wait for the gateway to lead there (default ${WAIT_DEFAULT_S})`)
    .option('--path <PATH>', 'path of the request (default /v1/chat/completions)')
    .option('--model <NAME>', 'model to ask the gateway for')
    .option('--header <FIELD>', "field of the request, 'name: value'; may be given several times", collect, [])
    .option('--key-env <NAME>', 'environment variable that holds the API key; the key itself is never shown')
    .option('--html <FILE>', 'write a page with arrival curves')
    .option('--json', 'JSON instead of Markdown')
    .option('--strict', 'exit 1 when something bad was found')
    .addHelpText('after', HELP);
  return async (given) => {
    const asked = readGiven(given, io);
    const grading = await endingHops(() => runGrading(asked, io));
    const { gradeMarkdown } = await import('../client/grade/report-markdown.ts');
    if (grading === undefined) return EXIT.ok.code;
    io.out(asked.json ? JSON.stringify(grading) : gradeMarkdown(grading));
    if (asked.html !== undefined) await writePage(asked.html, grading, io);
    const isBad = grading.findings.some(({ weight }) => weight === 'bad');
    return asked.strict && isBad ? EXIT.different.code : EXIT.ok.code;
  };
}

interface Asked {
  readonly gateway: string | undefined;
  readonly recipe: string | undefined;
  readonly listen: HostPort;
  readonly waitMs: number;
  readonly path: string;
  readonly model: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string | undefined;
  readonly json: boolean;
  readonly strict: boolean;
}

function readGiven(given: Command, io: Io): Asked {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const gateway = flags.text('gateway');
  const recipe = flags.text('recipe');
  if ((gateway === undefined) === (recipe === undefined)) faults.push('Give either --gateway or --recipe.');
  if (gateway !== undefined && !/^https?:$/.test(URL.parse(gateway)?.protocol ?? '')) {
    faults.push('--gateway: is no http or https URL.');
  }
  const listen = flags.read('engineListen', recipe === undefined ? ENGINE_DEFAULT : '127.0.0.1:0', readHostPort);
  const waitS = flags.read('wait', WAIT_DEFAULT_S, readInteger(1, WAIT_MAX_S));
  const fields = readFields(given.getOptionValue('header') as readonly string[], faults);
  const headers = { ...fields, ...readKey(flags.text('keyEnv'), io, faults) };
  if (faults.length > 0 || listen === undefined || waitS === undefined) throw usageFailure(faults);
  return {
    gateway,
    recipe,
    listen,
    waitMs: waitS * 1000,
    path: flags.text('path') ?? '/v1/chat/completions',
    model: flags.text('model'),
    headers,
    html: flags.text('html'),
    json: given.getOptionValue('json') === true,
    strict: given.getOptionValue('strict') === true,
  };
}

function readKey(name: string | undefined, { env }: Io, faults: string[]): Record<string, string> {
  if (name === undefined) return {};
  const key = env[name];
  if (key === undefined) faults.push(`--key-env: there is no variable ${name}.`);
  return { authorization: `Bearer ${key ?? ''}` };
}

/** A signal ends the process by its front door, so that a gateway that was started ends with it. */
async function endingHops<T>(run: () => Promise<T>): Promise<T> {
  const codes = { SIGINT: 130, SIGTERM: 143 } as const;
  const onSignal = (signal: keyof typeof codes): never => process.exit(codes[signal]);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  try {
    return await run();
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
  }
}

/** Undefined when there was nothing to grade: the recipes were only to be named. */
async function runGrading(asked: Asked, io: Io): Promise<Grading | undefined> {
  const { startGradeEngine } = await import('../client/grade/grade.ts');
  if (asked.recipe === 'list') {
    const { loadHops } = await import('../client/hops/load.ts');
    for (const { name, recipe, variant } of loadHops()) io.out(`${name.padEnd(30)} ${recipe.title}: ${variant.title}`);
    return undefined;
  }
  const engine = await startGradeEngine(asked.listen).catch((error: unknown) => {
    throw new CommandFailure(`The engine cannot listen: ${(error as Error).message}`, EXIT.unavailable.code);
  });
  try {
    return asked.recipe === undefined
      ? await gradeGateway(engine, asked, io)
      : await gradeRecipe(engine, asked.recipe, asked, io);
  } finally {
    await engine.engine.close();
  }
}

async function gradeGateway(engine: GradeEngine, asked: Asked, io: Io): Promise<Grading> {
  const { grade, isThrough } = await import('../client/grade/grade.ts');
  const { path, model, headers, gateway = '' } = asked;
  const way: Way = { url: gateway, path, headers, ...(model === undefined ? {} : { model }) };
  io.err(`The engine listens at ${engine.engine.url}. Waiting until ${path} of ${gateway} leads there …`);
  const untilNs = nowNs() + asked.waitMs * NS_PER_MS;
  while (!(await isThrough(engine, way))) {
    if (nowNs() > untilNs) {
      const text = `No request to ${gateway}${path} came to the engine and back in time.`;
      throw new CommandFailure(text, EXIT.unavailable.code);
    }
    await sleep(LOOK_MS);
  }
  return grade(engine, way, { gateway, onStep: (step) => io.err(`… ${step}`) });
}

async function gradeRecipe(engine: GradeEngine, name: string, asked: Asked, io: Io): Promise<Grading> {
  const [{ grade, isThrough }, { findHop }, { HopMissing, hopVersion, startHop }] = await Promise.all([
    import('../client/grade/grade.ts'),
    import('../client/hops/load.ts'),
    import('../client/hops/start.ts'),
  ]);
  let hop: ReturnType<typeof findHop>;
  try {
    hop = findHop(name);
  } catch (error) {
    throw usageFailure([`--recipe: ${(error as Error).message}`]);
  }
  try {
    const version = await hopVersion(hop);
    const running = await startHop(hop, { upstreamPort: engine.engine.port });
    try {
      const { path, headers, model } = running.request;
      const way: Way = {
        url: running.url,
        path,
        headers: { ...headers, ...asked.headers },
        ...(model === undefined ? {} : { model }),
      };
      // The first request pays for what a gateway does only once, and may fail with what is not yet there.
      if (!(await isThrough(engine, way)) && !(await isThrough(engine, way))) {
        throw new CommandFailure(`No request through ${name} came to the engine and back.`, EXIT.unavailable.code);
      }
      return await grade(engine, way, { gateway: name, version, onStep: (step) => io.err(`… ${step}`) });
    } finally {
      await running.stop();
    }
  } catch (error) {
    if (!(error instanceof HopMissing)) throw error;
    throw new CommandFailure(error.message, EXIT.unavailable.code);
  }
}

async function writePage(file: string, grading: Grading, io: Io): Promise<void> {
  const { gradeHtml } = await import('../client/grade/report-html.ts');
  try {
    writeFileSync(file, gradeHtml(grading));
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${(error as Error).message}`, EXIT.unavailable.code);
  }
  io.err(`Wrote ${file}.`);
}
