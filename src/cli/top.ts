// `rubato top`: what the live page shows, in a terminal. Knows flags, help and exit codes; the watching and the picture
// stand in client/top/.
import type { Command } from 'commander';
import type { TopEnd, TopRun } from '../client/top/run-top.ts';
import { useColor } from '../client/use-color.ts';
import { readInteger, readUrl } from '../config/values.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure, usageFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';

const ADMIN_URL_DEFAULT = 'http://127.0.0.1:9464';
const EVERY_DEFAULT_S = '10';
const COLUMNS_DEFAULT = 100;

const HELP = `
Shows what goes through a sidecar as it goes through: per class the time to the first token and its parts, gaps,
stalls and objectives; every stream in flight as a strip of its last 30 s with its stalls and who made them; the
running diagnosis, the hops, and what rubato itself costs. ADMIN_URL is the sidecar's admin port, the one with
/metrics (default ${ADMIN_URL_DEFAULT}).

  q quit   s sort   c one class   p hold the picture   ? help   arrows, PgUp, PgDn move through the streams

A strip has chunks received in its upper half and chunks handed to the kernel in its lower half; a dashed line is
a stall. Lengths are in ms; "–" is unknown, or too few values to say.

On a terminal the picture is redrawn twice a second, and it goes on when the sidecar is restarted. Where there is
no terminal, or TERM is "dumb", a block of plain lines is written every ${EVERY_DEFAULT_S} s, or every --every SECONDS.
NO_COLOR takes the colours away; a locale that is not UTF-8 takes everything beyond ASCII away.

Examples:
  rubato top                                      the sidecar of this machine
  rubato top http://10.0.3.7:9464                 another one
  rubato top --once                               one block of lines, and done
  rubato top --every 60 >> top.log                one block a minute
  kubectl port-forward POD 9464 & rubato top      a sidecar in a pod

Exit code: 0 when you leave, 69 when no sidecar can be watched there.`;

export function topCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('watch a sidecar in a terminal: classes, streams in flight, stalls and who made them')
    .allowExcessArguments()
    .argument('[admin-url]', `the sidecar's admin port (default ${ADMIN_URL_DEFAULT})`)
    .option('--once', 'write one block of plain lines and leave')
    .option('--every <SECONDS>', `time between blocks where there is no terminal (default ${EVERY_DEFAULT_S})`)
    .addHelpText('after', HELP);
  return async (given) => {
    const { adminUrl, everyMs, isOnce } = readFlags(given);
    const stop = new AbortController();
    const onSignal = (): void => stop.abort();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.once(signal, onSignal);
    try {
      const run = { adminUrl, isColored: useColor(io.stdout, io.env), isAscii: isAscii(io.env), signal: stop.signal };
      const end = await (isOnce || !hasScreen(io) ? plain(run, isOnce ? undefined : everyMs, io) : onScreen(run));
      if (end === 'done') return EXIT.ok.code;
      throw new CommandFailure(troubleText(adminUrl, end), EXIT.unavailable.code);
    } finally {
      for (const signal of signals) process.removeListener(signal, onSignal);
    }
  };
}

interface TopFlags {
  readonly adminUrl: URL;
  readonly everyMs: number;
  readonly isOnce: boolean;
}

function readFlags(given: Command): TopFlags {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const [text = ADMIN_URL_DEFAULT, ...more] = given.args;
  if (more.length > 0) faults.push(`Give one ADMIN_URL, such as ${ADMIN_URL_DEFAULT}.`);
  const url = readUrl(whole(text));
  if ('fault' in url) faults.push(`ADMIN_URL: ${url.fault}.`);
  const every = flags.read('every', EVERY_DEFAULT_S, readInteger(1, 86_400));
  if ('fault' in url || faults.length > 0) throw usageFailure(faults);
  return { adminUrl: new URL(url.value), everyMs: (every ?? 0) * 1_000, isOnce: given.getOptionValue('once') === true };
}

/** As a listener is written elsewhere: host and port alone; and the port alone is one of this machine. */
function whole(text: string): string {
  if (/^\d{1,5}$/.test(text)) return `http://127.0.0.1:${text}`;
  return /^[\w.[\]:-]+:\d+\/?$/.test(text) ? `http://${text}` : text;
}

/** A dumb terminal cannot write over what it has written. */
function hasScreen({ stdout, env }: Io): boolean {
  return stdout.isTTY === true && stdout === process.stdout && env['TERM'] !== 'dumb';
}

/** As programs of C see it: the first of the three variables that is set says which characters there are. */
function isAscii(env: Io['env']): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((each) => each !== undefined && each !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}

async function onScreen(run: TopRun): Promise<TopEnd> {
  // Loaded only now: no other command draws.
  const { runOnScreen } = await import('../client/top/run-top.ts');
  return runOnScreen(run, process.stdout, process.stdin.isTTY ? process.stdin : undefined);
}

async function plain(run: TopRun, everyMs: number | undefined, io: Io): Promise<TopEnd> {
  const { runPlain } = await import('../client/top/run-top.ts');
  const stated = Number(io.env['COLUMNS'] ?? (io.stdout === process.stdout ? process.stdout.columns : undefined));
  const columns = Number.isInteger(stated) && stated > 0 ? stated : COLUMNS_DEFAULT;
  return runPlain({ ...run, columns, everyMs, write: io.out });
}

function troubleText(adminUrl: URL, { word, says }: Exclude<TopEnd, 'done'>): string {
  const cure =
    word === 'lost'
      ? 'Check that a sidecar runs there, and that this is its admin port (--admin), not the one that clients use.'
      : 'Check that this is the admin port of a sidecar (--admin), and that the sidecar has room for one more watcher.';
  return `Cannot watch ${adminUrl.origin}: ${says}. ${cure}`;
}
