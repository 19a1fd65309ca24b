// Goal: the CSV of a sweep has a line a step and class under heads that fit, and files of steps have names of their
// own. Method: figures from tallies that were told by hand.
import { expect, test } from 'vitest';
import { stepPaths } from '../../../../src/cli/load-step-paths.ts';
import { ClassTally } from '../../../../src/client/load/class-tally.ts';
import { stepLine, stepRows, stepsHead } from '../../../../src/client/load/csv-steps.ts';
import { PeerTally } from '../../../../src/client/load/peer-figures.ts';
import { peerStepLines } from '../../../../src/client/load/peer-report.ts';
import type { ClassFigures, LoadResult } from '../../../../src/client/load/result.ts';
import { sampleExchange, sampleResult } from './samples.ts';

const MS = 1e6;

function figures(name: string, outcomes: readonly string[]): ClassFigures {
  const tally = new ClassTally(name);
  for (const [ordinal, outcome] of outcomes.entries())
    tally.add(sampleExchange({ ordinal, outcome, ...(outcome === 'ok' && { ttftNs: 20 * MS }) }));
  tally.addUnsent();
  return tally.read();
}

const HEAD = stepsHead('concurrency').split(',');
const cells = (line: string, ...names: string[]): (string | undefined)[] =>
  names.map((name) => line.split(',')[HEAD.indexOf(name)]);

function peer() {
  const tally = new PeerTally();
  tally.add({ ttftNs: 30 * MS, gapsNs: [10 * MS] }, { ttftNs: 28 * MS, textAtNs: [0, 9 * MS] });
  tally.addUnmatched();
  return tally.read('edge');
}

test('a line has the value of its step, both clocks, never for what failed and nothing for what is not known', () => {
  const [row] = stepRows('4', sampleResult({ classes: [figures('chat', ['ok', 'error_http'])] }));
  const line = row === undefined ? '' : stepLine(row);
  expect(line.split(',')).toHaveLength(HEAD.length);
  expect(cells(line, 'concurrency', 'class', 'sent', 'ok', 'not_sent')).toEqual(['4', 'chat', '2', '1', '1']);
  expect(cells(line, 'ttft_from_due_p50_ms', 'ttft_from_sent_p50_ms')).toEqual(['25.000', '20.000']);
  expect(cells(line, 'ttft_of_all_p50_ms', 'ttft_from_due_p99_ms', 'gap_p50_ms')).toEqual(['never', '', '']);
  expect(cells(line, 'output_tokens', 'good', 'peer_found')).toEqual(['', '', '']);
});

test('several classes have a line each and one of all, which alone has what a peer saw', () => {
  const [a, b, all] = [figures('a', ['ok']), figures('b', ['ok']), figures('all', ['ok', 'ok'])] as const;
  const met = { objective: 'ttft', kind: 'exchange', target: 0.9, of: 'exchanges' } as const;
  const counts = { keptCount: 1, missedCount: 0, unknownCount: 0 };
  const verdicts = [
    { ...met, ...counts, class: 'a', met: 'true' },
    { ...met, ...counts, class: 'b', met: 'false' },
  ] as unknown as LoadResult['verdicts'];
  const lines = stepRows('4', sampleResult({ classes: [a, b], all, verdicts, peer: peer() })).map(stepLine);
  expect(lines.map((line) => cells(line, 'class', 'objectives_met', 'peer_found', 'peer_ttft_added_p50_ms'))).toEqual([
    ['a', 'true', '', ''],
    ['b', 'false', '', ''],
    ['all', 'false', '1', '2.000'],
  ]);
});

test('a value that a spreadsheet would take for a formula is made plain', () => {
  expect(stepsHead('seqs')).toMatch(/^seqs,class,/);
  const [row] = stepRows('+8', sampleResult({ classes: [figures('chat', ['ok'])] }));
  expect(row === undefined ? '' : stepLine(row)).toMatch(/^'\+8,chat,/);
});

test('what the way added has a row a step, and no table without a peer', () => {
  const steps = [
    { value: '1', result: sampleResult({ peer: peer() }) },
    { value: '2', result: sampleResult({ peer: new PeerTally().read('edge') }) },
  ];
  const [, title, , first = '', second = ''] = peerStepLines('at a time', steps);
  expect(title).toBe('added on the way from edge');
  expect(first.split(/\s+/)).toEqual(['1', '1/2', '2.0', '–', '1.0', '–', '1.0', '–']);
  expect(second.split(/\s+/)).toEqual(['2', '0/0', '–', '–', '–', '–', '–', '–']);
  expect(peerStepLines('at a time', [{ value: '1', result: sampleResult() }])).toEqual([]);
});

test('each step has a file of its own, also where values are alike or no part of a name', () => {
  const steps = ['4', '4', 'a/b', 'a:b'].map((value) => ({ name: 'seqs', value }));
  expect(stepPaths('out/run.jsonl', steps)).toEqual([
    'out/run-seqs-4.jsonl',
    'out/run-seqs-4-2.jsonl',
    'out/run-seqs-a_b.jsonl',
    'out/run-seqs-a_b-2.jsonl',
  ]);
  expect(stepPaths('run.jsonl', [])).toEqual(['run.jsonl']);
});
