// `rubato report`: record files → one HTML page that needs nothing else. Reads line by line, so the size of the files
// does not matter. What is gathered stands in app/record-report/, what it looks like in page/report/.
import { statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { ReportCollector } from '../app/record-report/collector.ts';
import { ProcessRuns } from '../app/record-report/process-runs.ts';
import { readReportPage, renderReport, type ReportPage } from '../app/record-report/render.ts';
import { reportOfLine } from '../app/record-report/report-of-line.ts';
import { packageVersion } from '../app/version.ts';
import { epochMs, nowMs } from '../base/clock.ts';
import {
  REPORT_FAULTS_NAMED_COUNT,
  REPORT_PROGRESS_MS,
  REPORT_WORST_DEFAULT_COUNT,
  REPORT_WORST_MAX_COUNT,
} from '../base/report-limits.ts';
import { readInteger } from '../config/values.ts';
import type { ReportFile } from '../telemetry/report-data.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure, readFailure, usageFailure, writeFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';
import { readLines } from './read-lines.ts';

const OUT_DEFAULT = 'rubato-report.html';

const HELP = `
A record file is written by "rubato serve --record FILE". The report computes every figure and verdict
anew from the records and shows, per class, the time to first token in its parts, the gaps over time and
as a distribution, objectives, who made the stalls, hops, and the worst exchanges with their waterfalls and
curves. It is one file that loads nothing, so it can be mailed, or kept with a build. It holds no prompts
and no answers, also where the records were made with --capture-text.

Give rotated files in the order of time; those that gzip made are read as they are. A last line that was
cut off is left out.

Examples:
  rubato report records.jsonl
  rubato report records.jsonl.2.gz records.jsonl.1 records.jsonl --out monday.html --title "Monday, 8 GPUs"
  rubato report records.jsonl --worst 100`;

export function reportCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('show record files as one HTML page that needs nothing else')
    .argument('<file...>', 'record files (JSONL, plain or gzip)')
    .option('--out <FILE>', `where the page goes; - is the standard output (default ${OUT_DEFAULT})`)
    .option('--title <TEXT>', 'heading of the page (default: the names of the files)')
    .option('--worst <N>', `exchanges that can be opened, the worst (default ${REPORT_WORST_DEFAULT_COUNT})`)
    .addHelpText('after', HELP);
  return async (given) => {
    const asked = readGiven(given);
    // Before files are read, which may take minutes.
    const page = readReportPage();
    if (page === undefined) throw notBuilt();
    return await makeReport(asked, page, io);
  };
}

/** Reads the files, writes the page, says what it did; the exit code. */
export async function makeReport({ paths, out, title, worstCount }: Asked, page: ReportPage, io: Io): Promise<number> {
  const reading = new Reading(io, worstCount);
  for (const path of paths) await reading.read(path);
  const { collector, files, notes, unreadableCount } = reading.end();
  if (collector.exchangeCount === 0) throw nothingFound(paths);
  const html = renderReport(
    {
      title: title ?? files.map(({ name }) => name).join(', '),
      version: packageVersion(),
      madeAtEpochMs: epochMs(),
      files,
      ...collector.read(notes),
    },
    page,
  );
  write(out, html, io);
  const where = out === '-' ? 'the standard output' : out;
  io.err(
    `${collector.exchangeCount} ${collector.exchangeCount === 1 ? 'exchange is' : 'exchanges are'} in ${where} (${(html.length / 1e6).toFixed(1)} MB).`,
  );
  return unreadableCount === 0 ? EXIT.ok.code : EXIT.different.code;
}

export interface Asked {
  /** In the order of time. */
  readonly paths: readonly string[];
  /** - is the standard output. */
  readonly out: string;
  readonly title: string | undefined;
  readonly worstCount: number;
}

function readGiven(given: Command): Asked {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const worst = flags.read('worst', String(REPORT_WORST_DEFAULT_COUNT), readInteger(0, REPORT_WORST_MAX_COUNT));
  const out = flags.text('out') ?? OUT_DEFAULT;
  if (given.args.some((path) => isSameFile(path, out))) faults.push('--out: is one of the record files.');
  if (faults.length > 0 || worst === undefined) throw usageFailure(faults);
  return { paths: given.args, out, title: flags.text('title'), worstCount: worst };
}

/** Also under another name, such as ./ before it or a link: the page would be written over what it was made of. */
function isSameFile(path: string, other: string): boolean {
  if (path === other) return true;
  const [one, two] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

/** What is read of all files, in their order. */
class Reading {
  readonly #io: Io;
  readonly #collector: ReportCollector;
  readonly #runs = new ProcessRuns();
  readonly #files: ReportFile[] = [];
  #unreadableCount = 0;
  #toldAtMs = nowMs();

  constructor(io: Io, worstCount: number) {
    this.#io = io;
    this.#collector = new ReportCollector(worstCount);
  }

  async read(path: string): Promise<void> {
    let exchangeCount = 0;
    let unreadableCount = 0;
    try {
      for await (const { text, line, isWhole } of readLines(path)) {
        if (text.trim() === '') continue;
        const found = reportOfLine(text);
        if (found.kind === 'report') {
          exchangeCount += 1;
          this.#collector.add({ ...found.report, record: this.#runs.take(found.report.record) });
          this.#tellProgress(path);
        } else if (found.kind === 'fault' && isWhole) {
          unreadableCount += 1;
          this.#fault(`${path}:${line}: ${found.says}.`, line);
        }
      }
    } catch (error) {
      throw readFailure(path, error) ?? error;
    }
    this.#files.push({ name: basename(path), exchangeCount, unreadableCount });
  }

  end() {
    const notes: string[] = [];
    if (this.#unreadableCount > 0) {
      const lines = this.#unreadableCount === 1 ? '1 line' : `${this.#unreadableCount} lines`;
      notes.push(`${lines} could not be read and ${this.#unreadableCount === 1 ? 'is' : 'are'} left out.`);
    }
    if (this.#runs.runCount > 1) {
      notes.push(
        `The records are of ${this.#runs.runCount} processes; ids of all but the first end in ~ and its number.`,
      );
    }
    const named = this.#unreadableCount - REPORT_FAULTS_NAMED_COUNT;
    if (named > 0) this.#io.err(`… and ${named} further lines that could not be read.`);
    return { collector: this.#collector, files: this.#files, notes, unreadableCount: this.#unreadableCount };
  }

  #fault(says: string, line: number): void {
    // A file whose very first line is no record is another file altogether, most likely.
    if (line === 1) throw new CommandFailure(`${says} This is no record file.`, EXIT.configuration.code);
    this.#unreadableCount += 1;
    if (this.#unreadableCount <= REPORT_FAULTS_NAMED_COUNT) this.#io.err(says);
  }

  #tellProgress(path: string): void {
    const atMs = nowMs();
    if (atMs - this.#toldAtMs < REPORT_PROGRESS_MS) return;
    this.#toldAtMs = atMs;
    this.#io.err(`${basename(path)}: ${this.#collector.exchangeCount} exchanges read …`);
  }
}

function write(out: string, html: string, io: Io): void {
  if (out === '-') {
    io.stdout.write(html);
    return;
  }
  try {
    writeFileSync(out, html);
  } catch (error) {
    throw writeFailure(out, error, ' Choose another place with --out.');
  }
}

function notBuilt(): CommandFailure {
  return new CommandFailure(
    'The page of the report is not built here. From a checkout, "npm run build:page" builds it; then try again.',
    EXIT.unavailable.code,
  );
}

function nothingFound(paths: readonly string[]): CommandFailure {
  return new CommandFailure(
    `No exchange was found in ${paths.join(', ')}. A record file is written by "rubato serve --record FILE".`,
    EXIT.configuration.code,
  );
}
