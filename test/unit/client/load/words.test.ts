// Goal: traces of several kinds, objectives of a command line and verdicts over a run are read as they are meant, and
// near misses are not. Method: lines, words and counts with what each must come to.
import { describe, expect, test } from 'vitest';
import { csvLine, CSV_HEAD } from '../../../../src/client/load/csv.ts';
import { PeerTally } from '../../../../src/client/load/peer-figures.ts';
import { readSloWords } from '../../../../src/client/load/slo-words.ts';
import { TraceReader } from '../../../../src/client/load/trace.ts';
import { verdictOf } from '../../../../src/client/load/verdicts.ts';
import { sampleExchange } from './samples.ts';

const MS = 1e6;

function read(lines: readonly string[], speed = 1) {
  const reader = new TraceReader();
  for (const line of lines) reader.add(line);
  return reader.finish(speed);
}

describe('a trace', () => {
  test('of a record file: moments, class and tokens, without what was seen before a hop', () => {
    const record = (openedAtEpochMs: number, more: object) =>
      JSON.stringify({ record: { openedAtEpochMs, ...more }, figures: {} });
    const lines = [
      record(1_700_000_000_250, { class: { name: 'batch' }, tokens: { prompt: 30, output: 9 }, request: {} }),
      record(1_700_000_000_000, {
        class: { name: 'chat' },
        tokens: {},
        request: { maxTokens: 64, promptTokensEstimate: 12 },
      }),
      record(1_700_000_000_100, { edge: 'gateway', class: { name: 'chat' }, tokens: {}, request: {} }),
      JSON.stringify({ job: {} }),
    ];
    expect(read(lines)).toEqual({
      recorded: [
        { atNs: 0, class: 'chat', promptTokens: 12, outputTokens: 64 },
        { atNs: 250 * MS, class: 'batch', promptTokens: 30, outputTokens: 9 },
      ],
      leftOutCount: 0,
      isCut: false,
    });
  });

  test.each<[string, string[], object[]]>([
    [
      'Mooncake',
      ['{"timestamp":500,"input_length":20,"output_length":5,"hash_ids":[1]}', '{"timestamp":1500}'],
      [{ atNs: 0, promptTokens: 20, outputTokens: 5 }, { atNs: 1_000 * MS }],
    ],
    [
      'Azure',
      ['TIMESTAMP,ContextTokens,GeneratedTokens', '2023-11-16 18:15:46.5,374,44', '2023-11-16 18:15:47.0,1,2'],
      [
        { atNs: 0, promptTokens: 374, outputTokens: 44 },
        { atNs: 500 * MS, promptTokens: 1, outputTokens: 2 },
      ],
    ],
    ['CSV in seconds', ['at_s,class', '1,chat', '1.25,'], [{ atNs: 0, class: 'chat' }, { atNs: 250 * MS }]],
  ])('of %s', (_, lines, recorded) => expect(read(lines).recorded).toEqual(recorded));

  test('names no class that could not be sent as a field', () => {
    const lines = ['{"at_ms":0,"class":"a\\nb"}', '{"at_ms":1,"class":7}', '{"at_ms":2,"class":"a.b-1"}'];
    expect(read(lines).recorded.map((row) => row.class)).toEqual([undefined, undefined, 'a.b-1']);
  });

  test('goes faster where that is asked for', () => {
    expect(read(['{"at_ms":0}', '{"at_ms":100}'], 4).recorded.map(({ atNs }) => atNs)).toEqual([0, 25 * MS]);
  });

  test('leaves out lines that say no moment, and counts them', () => {
    expect(read(['{"prompt_tokens":3}', '{"at_ms":-1}', '{"at_ms":"soon"}', '', '{"at_ms":5}'])).toEqual({
      recorded: [{ atNs: 0 }],
      leftOutCount: 3,
      isCut: false,
    });
  });
});

describe('objectives of a command line', () => {
  test.each<[string, object[]]>([
    ['ttft=800ms', [{ raw: { objective: 'ttft', max_ms: 800, target: 0.95 } }]],
    ['ttft=2s@99%', [{ raw: { objective: 'ttft', max_ms: 2_000, target: 0.99 } }]],
    ['gap_pooled_p99=80', [{ raw: { objective: 'gap_pooled_p99', max_ms: 80 } }]],
    [
      'chat:valid@0.999,served',
      [{ class: 'chat', raw: { objective: 'valid', target: 0.999 } }, { raw: { objective: 'served', target: 0.95 } }],
    ],
    ['e2e=20s', [{ raw: { objective: 'e2e', max_ms: 20_000, target: 0.95, output_tokens_max: 100_000_000 } }]],
  ])('%s', (text, words) => expect(readSloWords(text)).toEqual(words));

  test.each(['', 'ttft=soon', 'ttft=8h', 'TTFT=8ms', 'ttft=8ms@', 'a:b:ttft=8ms'])('%j is none', (text) =>
    expect(readSloWords(text)).toEqual(expect.any(String)),
  );
});

describe('a verdict over a run', () => {
  test.each<[string, { kept: number; missed: number; unknown: number }, number, string]>([
    ['as many kept as wanted', { kept: 95, missed: 5, unknown: 0 }, 0.95, 'true'],
    ['one fewer', { kept: 94, missed: 6, unknown: 0 }, 0.95, 'false'],
    ['unknown ones that could make it', { kept: 94, missed: 5, unknown: 1 }, 0.95, 'unknown'],
    ['unknown ones that cannot', { kept: 90, missed: 6, unknown: 4 }, 0.95, 'false'],
    ['few unknown ones that do not matter', { kept: 97, missed: 2, unknown: 3 }, 0.95, 'true'],
    ['all kept of too few', { kept: 99, missed: 0, unknown: 0 }, 0.99, 'unknown'],
    ['all kept of just enough', { kept: 100, missed: 0, unknown: 0 }, 0.99, 'true'],
    ['one missed of too few, which more could make up for', { kept: 50, missed: 1, unknown: 0 }, 0.99, 'unknown'],
    ['more missed than any run of that length may', { kept: 50, missed: 2, unknown: 0 }, 0.99, 'false'],
    ['nothing at all', { kept: 0, missed: 0, unknown: 0 }, 0.9, 'unknown'],
  ])('%s', (_, counts, target, met) => expect(verdictOf(counts, target)).toBe(met));
});

describe('CSV', () => {
  const exchange = sampleExchange({
    dueAtNs: 10 * MS,
    sentAtNs: 15 * MS,
    ttftNs: 20 * MS,
    gapsNs: [1, 2],
    textEventCount: 3,
    missed: ['ttft', 'e2e'],
  });
  const cellOf = (line: string, name: string) => line.split(',')[CSV_HEAD.split(',').indexOf(name)];

  test('has both clocks, and nothing where nothing is known', () => {
    const line = csvLine(exchange);
    expect(['ttft_from_due_ms', 'ttft_from_sent_ms', 'tpot_ms', 'missed'].map((name) => cellOf(line, name))).toEqual([
      '25.000',
      '20.000',
      '',
      'ttft e2e',
    ]);
    expect(line.split(',')).toHaveLength(CSV_HEAD.split(',').length);
  });

  test('quotes what would break a line, and starts no formula', () => {
    expect(csvLine({ ...exchange, error: 'a,"b"' })).toContain('"a,""b"""');
    expect(csvLine({ ...exchange, error: '=1+1' })).toContain(",'=1+1,");
  });
});

describe('what a peer adds', () => {
  test('is ours less its own, of each exchange, and a percentile less the same one there', () => {
    const tally = new PeerTally();
    tally.add({ ttftNs: 50 * MS, gapsNs: [12 * MS, 40 * MS] }, { ttftNs: 45 * MS, textAtNs: [0, 10 * MS, 30 * MS] });
    tally.addUnmatched();
    expect(tally.read('gw')).toMatchObject({
      name: 'gw',
      matchedCount: 1,
      unmatchedCount: 1,
      ttftAdded: { count: 1, p50Ns: 5 * MS },
      gapsAdded: { p50Ns: 2 * MS },
      gapMaxAdded: { p50Ns: 20 * MS },
    });
  });

  test('pieces of one read, a few microseconds apart, are no gaps', () => {
    const tally = new PeerTally();
    tally.add({ gapsNs: [10 * MS] }, { textAtNs: [0, 20_000, 10 * MS, 10 * MS + 30_000] });
    expect(tally.read('gw')).toMatchObject({ gapsHere: { count: 1 }, gapsThere: { count: 1, p50Ns: 10 * MS } });
    expect(tally.read('gw')).not.toHaveProperty('ttftAdded.p50Ns');
  });
});
