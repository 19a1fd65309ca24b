// Goal: a stored record gives the stored figures, bit for bit, with every later version of the measures.
// Method: one folder a question; `record.json` is a record as it is written to a record file,
// `expected.json` what was worked out by hand for it. A change here is a change of what users were told.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decideOutcome } from '../../src/judge/outcome.ts';
import type { Figures } from '../../src/measure/figures.ts';
import { measureRecord } from '../../src/measure/measure-record.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';

interface Expected {
  readonly end: Pick<StreamRecord['end'], 'outcome' | 'phase'>;
  readonly figures: Figures;
}

const FOLDER = import.meta.dirname;
const QUESTIONS = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());

function load<T>(question: string, file: string): T {
  return JSON.parse(readFileSync(`${FOLDER}/${question}/${file}`, 'utf8')) as T;
}

test.each(QUESTIONS.map(({ name }) => name))('%s', (question) => {
  const record = load<StreamRecord>(question, 'record.json');
  const expected = load<Expected>(question, 'expected.json');
  expect(measureRecord(record)).toEqual(expected.figures);
  const end = decideOutcome({
    wire: record.end.wire,
    status: record.response.status,
    answer: record.answer,
    firstTokenSeen: record.events.generated.some((channels) => channels !== 0),
    receivedBytes: record.response.receivedBytes,
    doubts: record.doubts,
  });
  expect(end).toEqual(expected.end);
  expect(record.end).toMatchObject(expected.end);
});

test('there is a record for each question', () => {
  expect(QUESTIONS.length).toBeGreaterThan(0);
});
