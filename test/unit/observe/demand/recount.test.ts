// Goal: whatever happens in whatever order, retries and documents of jobs are those that a recount finds which looks
// at everything at once. Method: thousands of exchanges from printed seeds, told to what runs live; the recount is
// written from the definitions and shares no code with it.
import { expect, test } from 'vitest';
import { seededRandom, type Random } from '../../../../src/client/random.ts';
import { judgeJob } from '../../../../src/judge/job/judge-job.ts';
import { addExchange, startTally } from '../../../../src/judge/job/tally.ts';
import { type EndedTry, FailedTries } from '../../../../src/observe/demand/failed-tries.ts';
import type { JobTerms } from '../../../../src/record/objective.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, read } from '../../../support/record-builder.ts';

const S = 1e9;
const SEEDS = [1, 2, 3, 4];

function pick(random: Random, count: number): number {
  return Math.floor(random() * count);
}

/** Exchanges in the order of their ends: few bodies and keys, many failures, gaps from nothing to half an hour. */
function mixed(random: Random, count: number): EndedTry[] {
  let atNs = 0;
  const tries = Array.from({ length: count }, (_, index): EndedTry => {
    atNs += [0, 1, 20 * S, 100 * S, 800 * S][pick(random, random() < 0.02 ? 5 : 3)] ?? 0;
    return {
      id: `x${index}`,
      openedAtNs: atNs,
      endedAtNs: atNs + [0, S, 30 * S][pick(random, 3)]!,
      failed: random() < 0.6,
      ...(random() < 0.7 && { bodyPrint: `b${pick(random, 12)}` }),
      ...(random() < 0.2 && { keyPrint: `k${pick(random, 8)}` }),
    };
  });
  return tries.sort((a, b) => a.endedAtNs - b.endedAtNs);
}

/** What each was a retry of, by the definition: looked up among all that ended before, each try once. */
function recountRetries(tries: readonly EndedTry[]): (string | undefined)[] {
  const tried = new Set<string>();
  return tries.map((now, index) => {
    const before = (print: 'keyPrint' | 'bodyPrint', maxS: number): EndedTry | undefined =>
      tries
        .slice(0, index)
        .findLast(
          (each) =>
            each.failed &&
            !tried.has(each.id) &&
            now[print] !== undefined &&
            each[print] === now[print] &&
            each.endedAtNs <= now.openedAtNs &&
            now.openedAtNs - each.endedAtNs <= maxS * S,
        );
    // The last answer under the same key: one that is long over, or was given later, does not count.
    const answer = tries
      .slice(0, index)
      .findLast((each) => !each.failed && now.keyPrint !== undefined && each.keyPrint === now.keyPrint);
    const agoNs = now.openedAtNs - (answer?.endedAtNs ?? 0);
    const answered = agoNs >= 0 && agoNs <= 600 * S ? answer : undefined;
    const found = before('keyPrint', 600) ?? answered ?? before('bodyPrint', 120);
    if (found !== undefined) tried.add(found.id);
    return found?.id;
  });
}

test.each(SEEDS)('retries of 1,500 exchanges are those of the recount (seed %i)', (seed) => {
  const tries = mixed(seededRandom(seed), 1_500);
  const live = new FailedTries();
  const found = tries.map((each) => live.ended(each)?.of);
  const wanted = recountRetries(tries);
  expect(found).toEqual(wanted);
  expect(wanted.filter((of) => of !== undefined).length).toBeGreaterThan(100);
});

const TERMS: JobTerms = { deadlineMs: 100_000, validTarget: 0.5, invalidFinishes: ['length'] };
const TEMPLATE = buildRecord({ reads: [read(1, 'text finish'), read(2, 'done')] });

interface Try {
  readonly document: number;
  readonly record: StreamRecord;
}

/** Documents of one job, each tried until it is answered or given up. */
function jobOf(random: Random, documentCount: number): Try[] {
  return Array.from({ length: documentCount }, (_, document) => {
    const tries: Try[] = [];
    let openedS = random() * 90;
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const isOk = random() < 0.6;
      const lengthS = random() * 8;
      const id = `${document}.${attempt}`;
      const record: StreamRecord = {
        ...TEMPLATE,
        id,
        marks: { ...TEMPLATE.marks, clientEndAtNs: Math.round(lengthS * S) },
        answer: { ...TEMPLATE.answer, finishReasons: [random() < 0.2 ? 'length' : 'stop'] },
        tokens: random() < 0.9 ? { output: pick(random, 400) } : {},
        ...(!isOk && { end: { wire: 'upstream_aborted', outcome: 'upstream_aborted', phase: 'mid_stream' } }),
        ...(attempt > 1 && {
          retryOf: { sign: 'body', attempt, of: `${document}.${attempt - 1}`, first: `${document}.1`, sinceFirstNs: 1 },
        }),
        job: {
          id: 'j',
          size: documentCount,
          terms: TERMS,
          run: { startedAtEpochMs: 0, openedAfterNs: Math.round(openedS * S) },
        },
      };
      tries.push({ document, record });
      if (isOk || random() < 0.2) break;
      openedS += lengthS + random() * 10;
    }
    return tries;
  }).flat();
}

function recountJob(tries: readonly Try[]) {
  const isInTime = ({ record }: Try): boolean =>
    (record.job?.run?.openedAfterNs ?? 0) + (record.marks.clientEndAtNs ?? 0) <= TERMS.deadlineMs * 1e6;
  const documents = Map.groupBy(tries.filter(isInTime), ({ document }) => document);
  const answers = [...documents.values()].flatMap((each) => each.filter(({ record }) => record.end.outcome === 'ok'));
  const valid = answers.filter(({ record }) => !record.answer.finishReasons.includes('length'));
  return {
    exchangeCount: tries.filter(isInTime).length,
    answeredCount: answers.length,
    validCount: valid.length,
    failedCount: documents.size - answers.length,
    outputTokens: answers.reduce((sum, { record }) => sum + (record.tokens.output ?? 0), 0),
    uncountedCount: answers.filter(({ record }) => record.tokens.output === undefined).length,
  };
}

test.each(SEEDS)('a job of 2,000 documents comes to what the recount does, in any order (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const tries = jobOf(random, 2_000);
  const shuffled = tries.map((each) => ({ each, key: random() })).sort((a, b) => a.key - b.key);
  const [live, replayed] = [tries, shuffled.map(({ each }) => each)].map((ordered) => {
    const tally = startTally(ordered[0]!.record);
    for (const { record } of ordered) addExchange(tally, record);
    return judgeJob(tally, 'deadline');
  });
  expect(live).toMatchObject(recountJob(tries));
  expect(replayed).toEqual(live);
});
