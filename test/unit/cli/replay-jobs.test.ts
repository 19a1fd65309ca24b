// Goal: replay recomputes what a batch job came to from the records before it, and tells a difference from records
// that are not there. Method: record files of a job played to an observer, read by the real command.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClassifier } from '../../../src/observe/classifier.ts';
import { CHAT_FIELDS, CLASSES, createStage, DONE, event, OPENED_AT_NS, text } from '../observe/tape-play.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-replay-jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 180 } })}\n\n`;

/** The lines of the record file of a job of four documents, of which one fails and is tried again. */
function linesOfJob(): string[] {
  const lines: string[] = [];
  const job = { deadlineMs: 60_000, outputTokensPerSecondMin: 100, validTarget: 0.9, invalidFinishes: ['length'] };
  const stage = createStage({
    classifier: createClassifier(
      'x-traffic-class',
      [...CLASSES].map((each) => ({ ...each, job })),
    ),
    sinks: [
      {
        name: 'lines',
        onReport: ({ record, figures }) => void lines.push(JSON.stringify({ record, figures })),
        onJob: (ended) => void lines.push(JSON.stringify({ job: ended })),
      },
    ],
  });
  const fails = [false, true, false, false, false];
  const documents = [0, 1, 1, 2, 3];
  const finishes = ['stop', 'stop', 'stop', 'length', 'stop'];
  documents.forEach((document, index) => {
    const play = stage.exchange(index + 1, {
      openedAtNs: OPENED_AT_NS + index * 2e9,
      fields: [...CHAT_FIELDS, 'x-job-id', 'nightly', 'x-job-size', '4'],
    });
    play.request({ model: 'm', stream: true, messages: [{ role: 'user', content: `document ${document}` }] }).head(50);
    play.chunk(100, text('a'));
    if (fails[index] === true) play.end(900, { wireEnd: 'upstream_aborted' });
    else play.chunk(900, event({}, { finish_reason: finishes[index] }) + USAGE + DONE).end(1_000);
  });
  expect(stage.faults).toEqual([]);
  return lines;
}

let fileCount = 0;
function fileOf(lines: readonly string[]): string {
  fileCount += 1;
  const path = join(folder, `records-${fileCount}.jsonl`);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

test('a job is recomputed to the bit, also across files', async () => {
  const lines = linesOfJob();
  const whole = await runCli(['replay', fileOf(lines)]);
  expect(whole.out).toContain('6 of 6 records give the same figures bit for bit.');
  expect(whole.out).toMatch(/nightly +default +job size/);
  expect(whole.exitCode).toBe(0);
  const apart = await runCli(['replay', '--json', fileOf(lines.slice(0, 2)), fileOf(lines.slice(2))]);
  expect(JSON.parse(apart.out.split('\n').at(-1) ?? '')).toMatchObject({
    equal: true,
    job: {
      id: 'nightly',
      size: 4,
      exchangeCount: 5,
      retryCount: 1,
      answeredCount: 4,
      validCount: 3,
      invalidCount: 1,
      failedCount: 0,
      outputTokens: 720,
      lengthNs: 9e9,
      tokensPerSecond: 80,
      validRatio: 0.75,
      met: { deadline: 'true', tokens_per_second: 'false', valid: 'false' },
    },
  });
});

test('a job that says something else differs, and is named', async () => {
  const lines = linesOfJob().map((line) => line.replace('"outputTokens":720', '"outputTokens":721'));
  const { exitCode, out } = await runCli(['replay', fileOf(lines)]);
  expect(exitCode).toBe(1);
  expect(out).toContain('differs in job.outputTokens');
});

test('a job whose records are not all there is not checked, which is no difference', async () => {
  const { exitCode, out } = await runCli(['replay', fileOf(linesOfJob().slice(2))]);
  expect(exitCode).toBe(0);
  expect(out).toContain('only 3 of its 5 records stand before it');
  expect(out).toContain('1 jobs could not be checked');
});

test('a line that only looks like a job is told of', async () => {
  const { exitCode, out } = await runCli(['replay', fileOf(['{"job":{"id":4}}'])]);
  expect(exitCode).toBe(1);
  expect(out).toContain('holds no record with figures');
});
