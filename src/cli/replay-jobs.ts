// The verdicts on batch jobs in a record file, recomputed from the records before them. A job whose records are not
// all there, as in a file that was rotated meanwhile, cannot be checked and is no difference.
import { JOB_ENDS, judgeJob, type JobReport } from '../judge/job/judge-job.ts';
import { addExchange, jobKey, type JobTally, startTally } from '../judge/job/tally.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { isObject, parseJson } from '../stream/json-value.ts';
import { type Checked, findDifferences, throughJson } from './replay-line.ts';

/** How the line of a job begins: it holds nothing else. */
const JOB_LINE = '{"job":';
/** In the line of every record that has a place in a job, and hardly in any other. */
const PLACED = '"openedAfterNs":';
/** Jobs that are counted up at once: of a file without their ends the oldest are given up. */
const TALLIES_MAX_COUNT = 10_000;

export class JobReplay {
  readonly #tallies = new Map<string, JobTally>();

  /** Takes the next line; what it tells of a job when it is the line of one, else undefined. */
  take(text: string): Checked | undefined {
    if (text.startsWith(JOB_LINE)) return this.#check(parseJson(text));
    if (text.includes(PLACED)) this.#count(parseJson(text));
    return undefined;
  }

  #count(line: unknown): void {
    const record = (isObject(line) ? line['record'] : undefined) as StreamRecord | undefined;
    try {
      const key = record === undefined ? undefined : jobKey(record);
      if (record === undefined || key === undefined) return;
      let tally = this.#tallies.get(key);
      if (tally === undefined) this.#tallies.set(key, (tally = startTally(record)));
      addExchange(tally, record);
    } catch {
      // A damaged record is told of as one, where it is compared.
    }
    const [oldest] = this.#tallies.keys();
    if (this.#tallies.size > TALLIES_MAX_COUNT && oldest !== undefined) this.#tallies.delete(oldest);
  }

  #check(line: unknown): Checked | undefined {
    const written = isObject(line) ? line['job'] : undefined;
    if (!isJob(written)) return undefined;
    const key = `${written.id} ${written.startedAtEpochMs}`;
    const tally = this.#tallies.get(key);
    this.#tallies.delete(key);
    const about = { id: written.id, class: written.class, outcome: `job ${written.end}` };
    if (tally === undefined || tally.exchangeCount < written.exchangeCount) {
      const count = `${tally?.exchangeCount ?? 0} of its ${written.exchangeCount}`;
      return { state: 'unchecked', ...about, reason: `job ${written.id}: only ${count} records stand before it` };
    }
    const job = judgeJob(tally, written.end);
    const differences = findDifferences(written, throughJson(job), 'job');
    if (differences.length === 0) return { state: 'equal', ...about, job };
    return { state: 'different', ...about, job, differences, reason: `differs in ${differences.join(', ')}` };
  }
}

function isJob(value: unknown): value is JobReport {
  if (!isObject(value)) return false;
  const { id, startedAtEpochMs, exchangeCount, end } = value;
  const isCounted = typeof startedAtEpochMs === 'number' && typeof exchangeCount === 'number';
  return typeof id === 'string' && isCounted && JOB_ENDS.some((each) => each === end);
}
