// `rubato replay`: recomputes every figure of a record file from its records and says whether each
// equals what was written, bit for bit. Reads line by line, so the size of the file does not matter.
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import { readFailure } from './failures.ts';
import type { Io } from './io.ts';
import { JobReplay } from './replay-jobs.ts';
import { type Checked, checkLine } from './replay-line.ts';
import { readLines } from './read-lines.ts';
import { replayHead, replayRow } from './replay-table.ts';

/** Rows shown of a long file; what differs is shown beyond that, up to its own limit. */
const ROWS_SHOWN_COUNT = 20;
const DIFFERENCES_SHOWN_COUNT = 50;

const HELP = `
A record file is written by "rubato serve --record FILE": one JSON object a line, with the record of
an exchange and the figures that were read from it, or with what a batch job came to, behind the last
of its records. Give rotated files in the order of time; those that gzip made are read as they are. A last line that was cut off, as by a full disk
or a file still being written, is reported and not counted as a difference.

Examples:
  rubato replay records.jsonl
  rubato replay records.jsonl.1 records.jsonl
  rubato replay --json records.jsonl | jq 'select(.equal == false)'`;

interface Totals {
  equal: number;
  different: number;
  unreadable: number;
  cut: number;
  unchecked: number;
}

export function replayCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('recompute every figure of a record file and compare')
    .argument('<file...>', 'record files (JSONL)')
    .option('--json', 'one JSON object a line instead of the table')
    .addHelpText('after', HELP);
  return async (given) => {
    const totals: Totals = { equal: 0, different: 0, unreadable: 0, cut: 0, unchecked: 0 };
    const isJson = given.getOptionValue('json') === true;
    if (!isJson) io.out(replayHead());
    const show = isJson ? showJson(io) : showRow(io);
    const jobs = new JobReplay();
    for (const path of given.args) await replayFile(path, { totals, jobs, show });
    summarise(totals, isJson ? io.err : io.out);
    return totals.different + totals.unreadable === 0 ? EXIT.ok.code : EXIT.different.code;
  };
}

type Show = (place: string, checked: Checked) => void;

/** A job may lie across files, so their order is that of time. */
interface Replay {
  readonly totals: Totals;
  readonly jobs: JobReplay;
  readonly show: Show;
}

async function replayFile(path: string, { totals, jobs, show }: Replay): Promise<void> {
  try {
    for await (const { text, line, isWhole } of readLines(path)) {
      if (text.trim() === '') continue;
      const checked = jobs.take(text) ?? checkLine(text, isWhole);
      totals[checked.state] += 1;
      show(`${path}:${line}`, checked);
    }
  } catch (error) {
    throw readFailure(path, error) ?? error;
  }
}

function showJson(io: Io): Show {
  return (place, checked) => {
    const { state, ...rest } = checked;
    io.out(JSON.stringify({ place, state, equal: state === 'equal', ...rest }));
  };
}

function showRow(io: Io): Show {
  let rowCount = 0;
  let differenceCount = 0;
  return (place, checked) => {
    rowCount += 1;
    if (checked.state === 'equal') {
      if (rowCount <= ROWS_SHOWN_COUNT) io.out(replayRow(checked));
      if (rowCount === ROWS_SHOWN_COUNT + 1) io.out('… (further rows are shown only when they differ)');
      return;
    }
    differenceCount += 1;
    if (differenceCount > DIFFERENCES_SHOWN_COUNT) return;
    if (checked.figures !== undefined || checked.job !== undefined) io.out(replayRow(checked));
    io.out(`  ${place}: ${checked.reason ?? ''}`);
  };
}

function summarise({ equal, different, unreadable, cut, unchecked }: Totals, say: (text: string) => void): void {
  const total = equal + different + unreadable;
  if (total === 0) say('No complete record was found.');
  else say(`${equal} of ${total} records give the same figures bit for bit.`);
  if (different > 0) say(`${different} differ: the file was changed, or was written by a version with other formulas.`);
  if (unreadable > 0) say(`${unreadable} lines could not be checked.`);
  if (unchecked > 0)
    say(`${unchecked} jobs could not be checked, because not all of their records are in these files.`);
  if (cut > 0) say(`${cut} last line cut off, left out.`);
}
