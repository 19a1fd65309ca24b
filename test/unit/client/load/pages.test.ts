// Goal: pages show what is known and a dash for what is not, plots place points where they belong, progress tells
// how far a run is, and a line of AIPerf's shape says the same as ours. Method: figures given, text compared.
import { expect, test } from 'vitest';
import { aiperfLine } from '../../../../src/client/load/export-aiperf.ts';
import { plotLines, plotSvg } from '../../../../src/client/load/plot.ts';
import { progressText } from '../../../../src/client/load/progress.ts';
import { spreadRow } from '../../../../src/client/load/rows.ts';
import { sampleExchange } from './samples.ts';

const MS = 1e6;
const AXES = { x: 'TTFT', y: 'gap' };

test('a row shows never for what failed, a dash for what is not known, and marks what is not exact', () => {
  const spread = { count: 120, neverCount: 10, p50Ns: 5 * MS, p95Ns: 'never', maxNs: 'never', banded: true } as const;
  expect(spreadRow('TTFT', spread).split(/ {2,}/)).toEqual(['', 'TTFT', '120', '~5.0', '~never', '~–', 'never']);
});

test('points lie by their lengths, from 0, with the largest at the end of its axis', () => {
  const points = [
    { name: 'small', ttftNs: 0, gapNs: 100 * MS },
    { name: 'large', ttftNs: 200 * MS, gapNs: 50 * MS },
  ];
  const lines = plotLines(points, AXES);
  expect(lines[1]).toBe('100.0 |a');
  const row = lines.find((line) => line.endsWith('b'));
  expect(row?.indexOf('b')).toBe('100.0 |'.length + 59);
  expect(lines.indexOf(row ?? '')).toBe(7);
  expect(plotLines([], AXES)).toEqual([]);
});

test('a picture escapes names', () => {
  const svg = plotSvg([{ name: 'a<b&"c"', ttftNs: 1, gapNs: 1 }], { ...AXES, title: '<t>' });
  expect(svg).toContain('a&lt;b&amp;&quot;c&quot;');
  expect(svg).not.toMatch(/<t>|a<b/);
});

test('progress goes by time, and by requests where they end the run', () => {
  const state = {
    elapsedNs: 5e9,
    warmingUp: false,
    sentCount: 20,
    openCount: 4,
    endedCount: 16,
    failedCount: 1,
    textEventCount: 500,
    draining: false,
  };
  expect(progressText(state, { wholeNs: 10e9, count: undefined }, '')).toBe(
    '[############............] 5 s sending, sent 20, open 4, failed 1, text events/s 100',
  );
  expect(progressText({ ...state, draining: true }, { wholeNs: 1e12, count: 16 }, '4 at a time ')).toBe(
    '4 at a time [########################] 5 s waiting for the last, sent 20, open 4, failed 1, text events/s 100',
  );
});

const EXCHANGE = sampleExchange({
  sentEpochMs: 1_700_000_000_000,
  ttftNs: 20 * MS,
  tpotNs: 10 * MS,
  durationNs: 50 * MS,
  gapsNs: [10 * MS, 12 * MS],
  eventCount: 5,
  textEventCount: 3,
});

test('a line of AIPerf has its moments in ns and its lengths in ms', () => {
  expect(JSON.parse(aiperfLine(EXCHANGE))).toMatchObject({
    metadata: {
      session_num: 3,
      credit_issued_ns: 1_699_999_999_995e6,
      request_start_ns: 1_700_000_000_000e6,
      request_end_ns: 1_700_000_000_050e6,
    },
    metrics: {
      time_to_first_token: { value: 20, unit: 'ms' },
      inter_chunk_latency: { value: [10, 12], unit: 'ms' },
      inter_token_latency: { value: 10, unit: 'ms' },
      output_token_throughput_per_user: { value: 100, unit: 'tokens/sec/user' },
      request_latency: { value: 50, unit: 'ms' },
    },
  });
});

test('a line of a failure has an error and no figures', () => {
  const line = JSON.parse(aiperfLine({ ...EXCHANGE, outcome: 'error_http', status: 503 })) as object;
  expect(line).toMatchObject({ metrics: {}, error: { code: 503, type: 'error_http' } });
  expect(JSON.parse(aiperfLine(EXCHANGE))).not.toHaveProperty('error');
});
