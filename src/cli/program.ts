// The command line as a whole: which commands there are, help, version, and how any failure becomes
// one message and an exit code. What a command does stands in its own file.
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../app/version.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure, describeInternal } from './failures.ts';
import type { Io } from './io.ts';

/** A command adds its description, flags and help to `command`; what it returns does the work. */
export type CommandDefinition = (command: Command, io: Io) => (command: Command) => Promise<number>;

type CommandLoader = () => Promise<CommandDefinition>;

/**
 * Every command in the order of the help page. Only the one that is named is loaded: a sidecar must not hold in memory
 * what it takes to send a load or to make a report.
 */
const COMMANDS: Readonly<Record<string, CommandLoader>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  top: async () => (await import('./top.ts')).topCommand,
  grade: async () => (await import('./grade.ts')).gradeCommand,
  probe: async () => (await import('./probe.ts')).probeCommand,
  load: async () => (await import('./load.ts')).loadCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  rules: async () => (await import('./rules.ts')).rulesCommand,
  dashboards: async () => (await import('./dashboards.ts')).dashboardsCommand,
  floor: async () => (await import('./floor.ts')).floorCommand,
};

const EXAMPLES = `
Examples:
  rubato demo                                     see what it does, with an engine that comes along
  rubato serve --upstream http://127.0.0.1:8000   stand before an engine
  rubato top                                      watch what goes through it, in a terminal
  rubato doctor --upstream http://127.0.0.1:8000  check everything around it, with the cures
  rubato grade --recipe nginx/default             what a gateway holds, adds and changes
  rubato probe https://api.example.com            measure an endpoint from here, and who holds its text
  rubato load http://127.0.0.1:8000 --rate 4      send a load as users do, and what they would feel
  rubato report records.jsonl                     what is in them, as one HTML page
  rubato replay records.jsonl                     recompute every figure of a record file
  rubato rules --config rubato.yaml               its objectives as alerts for Prometheus
  rubato dashboards --out dashboards              seven dashboards for Grafana
  rubato floor --list                             what the hardware allows, for models and accelerators it knows

"rubato COMMAND --help" shows the flags of a command. From a checkout, "npm start -- FLAGS" is
"rubato serve FLAGS", and "npm run rubato -- COMMAND" is any command.

Exit codes:
${Object.values(EXIT)
  .map(({ code, meaning }) => `  ${String(code).padEnd(3)} ${meaning}`)
  .join('\n')}`;

/** Runs one command line; never throws, gives the exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok.code;
  const program = new Command('rubato')
    .description(
      'A sidecar in the path of a streaming LLM endpoint: forwards every byte at once and says who steals time from the reader.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  try {
    for (const [name, load] of neededCommands(args[0])) {
      const command = program.command(name);
      const run = (await load())(command, io);
      command.action(async () => {
        exitCode = await run(command);
      });
    }
    for (const command of [program, ...program.commands]) prepare(command, io);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, io);
  }
}

/** All of them where none is named: for the help page, and to tell what may have been meant. */
function neededCommands(name = ''): [string, CommandLoader][] {
  const all = Object.entries(COMMANDS);
  return Object.hasOwn(COMMANDS, name) ? all.filter(([each]) => each === name) : all;
}

/** The library ends its texts with a line break of its own. */
function trimmed(write: (text: string) => void): (text: string) => void {
  return (text) => write(text.replace(/\n$/, ''));
}

/** Output through `io`, errors instead of `process.exit`, and values shown as needed where they are. */
function prepare(command: Command, io: Io): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureOutput({ writeOut: trimmed(io.out), writeErr: trimmed(io.err) })
    .configureHelp({
      // Flags take their value optionally only so that a missing one can be told with other faults.
      optionTerm: (option) => option.flags.replace(/\[(?!true\|false)(.*)\]$/, '<$1>'),
    });
}

function explain(error: unknown, io: Io): number {
  if (error instanceof CommandFailure) {
    io.err(error.message);
    return error.exitCode;
  }
  if (error instanceof CommanderError) {
    // Help and version were asked for; everything else is a wrong command line, told by the library.
    const isAskedFor = error.exitCode === 0;
    if (!isAskedFor && error.code !== 'commander.help') io.err('Run "rubato --help" to see what there is.');
    return isAskedFor ? EXIT.ok.code : EXIT.configuration.code;
  }
  io.err(describeInternal(error));
  return EXIT.internal.code;
}
