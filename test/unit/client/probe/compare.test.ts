// Goal: two runs set side by side give exact differences of medians, and nothing where one has nothing.
// Method: results written by hand, integers compared.
import { describe, expect, test } from 'vitest';
import { compareRuns, comparisonLines, readRun } from '../../../../src/client/probe/compare.ts';
import type { Moments } from '../../../../src/client/probe/moments.ts';
import type { ProbeResult, ProbeStream } from '../../../../src/client/probe/result.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';
import { buildRecord, ms, texts } from '../../../support/record-builder.ts';

const FIGURES = measureRecord(buildRecord({ reads: texts(100, 20, 30) }));

function stream(moments: Moments, gapP50Ns = ms(20)): ProbeStream {
  return {
    id: 'probe-1',
    outcome: 'ok',
    moments,
    readCount: 30,
    eventCount: 30,
    textEventCount: 30,
    receivedBytes: 3000,
    figures: { ...FIGURES, gapsReceived: { ...FIGURES.gapsReceived, p50Ns: gapP50Ns } },
  };
}

function run(streams: readonly ProbeStream[], word?: 'passes' | 'holds'): ProbeResult {
  return {
    schema: 1,
    url: 'http://there',
    api: 'chat',
    model: 'm',
    startedAtEpochMs: 0,
    concurrency: 1,
    streams,
    ...(word === undefined ? {} : { verdict: { word, confidence: 0.9, points: 1, cures: [] } }),
  };
}

describe('differences', () => {
  test('are of medians over the streams, here less there', () => {
    const here = run([
      stream({ tcpNs: 30, ttftNs: 300 }),
      stream({ tcpNs: 50, ttftNs: 100 }),
      stream({ tcpNs: 40, ttftNs: 200 }),
    ]);
    const there = run([stream({ tcpNs: 1, ttftNs: 120 })]);
    const differences = compareRuns(here, there);
    expect(differences.find(({ part }) => part === 'TCP')).toEqual({
      part: 'TCP',
      hereNs: 40,
      thereNs: 1,
      addedNs: 39,
    });
    expect(differences.find(({ part }) => part === 'TTFT')).toEqual({
      part: 'TTFT',
      hereNs: 200,
      thereNs: 120,
      addedNs: 80,
    });
  });

  test('can be below zero, and are absent where one run has nothing', () => {
    const differences = compareRuns(
      run([stream({ ttftNs: 10 }, ms(5))]),
      run([stream({ ttftNs: 30, tlsNs: 7 }, ms(9))]),
    );
    expect(differences.find(({ part }) => part === 'TTFT')?.addedNs).toBe(-20);
    expect(differences.find(({ part }) => part === 'gap p50')?.addedNs).toBe(-ms(4));
    expect(differences.find(({ part }) => part === 'TLS')).toEqual({ part: 'TLS', thereNs: 7 });
    expect(differences.find(({ part }) => part === 'DNS')).toEqual({ part: 'DNS' });
  });
});

test('the page says what the distance adds, and where what holds may be', () => {
  const here = run([stream({ dnsNs: ms(5), tcpNs: ms(40), tlsNs: ms(80), ttftNs: ms(400) })], 'holds');
  const there = run([stream({ tcpNs: ms(1), tlsNs: ms(3), ttftNs: ms(180) })], 'passes');
  const page = comparisonLines(here, there).join('\n');
  expect(page).toContain('the first text takes 220.0 ms more, of which setting up the connection 116.0 ms');
  expect(page).toContain('A round trip of the network takes 39.0 ms more.');
  expect(page).toContain('Here: holds; there: passes.');
});

describe('a saved run', () => {
  test('comes back as it was written', () => {
    const saved = run([stream({ ttftNs: 5 })]);
    expect(readRun(JSON.stringify(saved))).toEqual(JSON.parse(JSON.stringify(saved)));
  });

  test.each([
    ['not JSON', 'holds no JSON'],
    ['{"schema":99}', 'schema 99'],
    ['{"schema":1}', 'lacks the streams'],
    ['{"schema":1,"streams":[{"moments":{},"figures":{}}]}', 'lacks the streams'],
  ])('%s is told why it is none', (text, why) => {
    expect(readRun(text)).toContain(why);
  });
});
