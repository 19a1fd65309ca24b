// The demo's summary and its run. Method: the summary is compared with a text read by people once; the
// run sends a second of load straight to the engine, as if a sidecar stood between.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderDemoReport, type DemoReportInput } from '../../../src/client/demo-report.ts';
import { runDemo } from '../../../src/client/demo.ts';
import { drawHistogram } from '../../../src/client/histogram-text.ts';
import { showCount, showMs, spreadOf } from '../../../src/client/spread.ts';
import { useColor } from '../../../src/client/use-color.ts';
import { read, texts } from '../../support/record-builder.ts';
import { demoReports, report } from './demo-reports.ts';

const INPUT: DemoReportInput = {
  reports: demoReports(),
  url: 'http://127.0.0.1:8080',
  adminUrl: 'http://127.0.0.1:9464',
  recordFile: 'demo.jsonl',
  staysUp: true,
  color: false,
};

describe('the summary', () => {
  test('reads as it should', () => {
    expect(renderDemoReport(INPUT)).toBe(readFileSync(new URL('demo-report.golden.txt', import.meta.url), 'utf8'));
  });

  test('fits into 100 columns', () => {
    const columns = renderDemoReport(INPUT)
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...columns)).toBeLessThanOrEqual(100);
  });

  test('in colour is the same text with emphasis', () => {
    const colored = renderDemoReport({ ...INPUT, color: true });
    expect(colored).toContain('\u001b[1mWorst stream\u001b[22m');
    expect(stripVTControlCharacters(colored)).toBe(renderDemoReport(INPUT));
  });

  test('of no exchange says so', () => {
    const text = renderDemoReport({ ...INPUT, reports: [], staysUp: false, recordFile: undefined });
    expect(text.split('\n')).toEqual([
      'rubato demo: the sidecar told of no exchange, so there is nothing to show.',
      '  live page, metrics  npm run demo -- --keep   (stays up and prints their addresses)',
      '  your own engine     npm start -- --upstream http://127.0.0.1:8000',
      '',
    ]);
  });

  test('of exchanges without gaps claims none', () => {
    const text = renderDemoReport({
      ...INPUT,
      reports: [report('0-1', 'batch', { reads: [read(5, 'text finish done')] })],
    });
    expect(text).toContain('No gaps: no exchange had two reads with output.');
    expect(text).toContain('None: no exchange had two reads with output.');
  });

  test('tells what was left out and why, and the trace of the worst stream', () => {
    const tainted = report('0-1', 'batch', {
      reads: [...texts(10, 10, 3), read(60, 'text', { errorBoundNs: 20_000_000 })],
    });
    const trace = {
      traceId: 'ab'.repeat(16),
      serverSpanId: '01'.repeat(8),
      clientSpanId: '02'.repeat(8),
      sampled: true,
    };
    const traced = { ...tainted, record: { ...tainted.record, trace } };
    const text = renderDemoReport({ ...INPUT, reports: [traced] });
    expect(text).toContain('stalls: 0 of 2 gaps; left out as untrustworthy: loop 1');
    expect(text).toContain(`trace ${trace.traceId}`);
  });

  test('names evidence by how many exchanges had it', () => {
    const reads = texts(100, 10, 3);
    const evidence = [{ source: 's', basis: 'exact' as const, queueNs: 10_000_000, prefillNs: 50_000_000 }];
    const reports = [report('0-1', 'batch', { reads, evidence }), report('0-2', 'batch', { reads })];
    const text = renderDemoReport({ ...INPUT, reports });
    expect(text).toMatch(/queue {4}evidence: exact in 1, none in 1 +10\.0/);
    expect(text).toMatch(/prefill {2}evidence: exact in 1, none in 1 +50\.0/);
  });
});

describe('percentiles', () => {
  test('are values that occurred, absent where too few can tell', () => {
    const values = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);
    expect(spreadOf([])).toEqual({ count: 0, p50: undefined, p95: undefined, p99: undefined, max: undefined });
    expect(spreadOf(values(19))).toEqual({ count: 19, p50: 10, p95: undefined, p99: undefined, max: 19 });
    expect(spreadOf(values(20))).toEqual({ count: 20, p50: 10, p95: 19, p99: undefined, max: 20 });
    expect(spreadOf(values(100))).toEqual({ count: 100, p50: 50, p95: 95, p99: 99, max: 100 });
  });

  test('look like numbers to people, and like a dash when unknown', () => {
    expect([undefined, 0, 999_499, 1_000_000, 1_234_567_890].map(showMs)).toEqual([
      '–',
      '0.000',
      '0.999',
      '1.0',
      '1,234.6',
    ]);
    expect([undefined, 0, 1_234_567].map(showCount)).toEqual(['–', '0', '1,234,567']);
  });
});

describe('the histogram', () => {
  test('puts a value on a bound below it and shows every bucket that holds something', () => {
    const values = [...Array.from({ length: 9 }, () => 10_000_000), 10_000_001, 200_000_000_000];
    const lines = drawHistogram(values, 9);
    expect(lines[0]).toBe('      7.5 to 10 ms  #########        9');
    expect(lines[1]).toBe('       10 to 15 ms  #                1');
    expect(lines.at(-1)).toBe('    over 120000 ms  #                1');
  });
});

describe('the run', () => {
  test('shows progress, prints the summary, closes what it started and ends with 0', { timeout: 60_000 }, async () => {
    let text = '';
    let closedCount = 0;
    const code = await runDemo({
      startSidecar: async (upstreamUrl) => ({
        url: upstreamUrl,
        adminUrl: 'http://127.0.0.1:9464',
        // As many reports as are waited for; whose they are does not matter here.
        reports: () => Array.from({ length: 100 }, () => demoReports()[0]!),
        close: async () => void (closedCount += 1),
      }),
      keep: false,
      seed: 1,
      seconds: 0.2,
      out: { write: (more) => (text += more) },
      stop: new AbortController().signal,
    });
    expect(code).toBe(0);
    expect(closedCount).toBe(1);
    expect(text).toContain('s of 0.2  sent ');
    expect(text).toContain('rubato demo: 100 exchanges (interactive 100) through http://127.0.0.1:');
    expect(text).not.toContain('\u001b');
  });

  test('with keep stays up until it is told to stop', { timeout: 60_000 }, async () => {
    const stop = new AbortController();
    let text = '';
    const run = runDemo({
      startSidecar: async (upstreamUrl) => ({
        url: upstreamUrl,
        adminUrl: 'http://127.0.0.1:9464',
        reports: () => Array.from({ length: 100 }, () => demoReports()[0]!),
        close: async () => {},
      }),
      keep: true,
      seed: 1,
      seconds: 0.2,
      out: {
        write: (more) => {
          text += more;
          // The summary is the last thing said before it waits.
          if (text.includes('Ctrl-C')) setImmediate(() => stop.abort());
        },
        isTTY: true,
      },
      stop: stop.signal,
    });
    expect(await run).toBe(0);
    expect(text).toContain('\r');
    expect(text).toContain('http://127.0.0.1:9464/metrics');
  });

  test('a sidecar that cannot start ends the demo with its own words', async () => {
    const run = runDemo({
      startSidecar: () => Promise.reject(new Error('port in use')),
      keep: false,
      seed: 1,
      seconds: 1,
      out: { write: () => {} },
      stop: new AbortController().signal,
    });
    await expect(run).rejects.toThrow('port in use');
  });

  test('uses colour only on a terminal whose owner did not refuse it', () => {
    const terminal = { isTTY: true };
    expect(useColor(terminal, {})).toBe(true);
    expect(useColor(terminal, { NO_COLOR: '1' })).toBe(false);
    expect(useColor(terminal, { NO_COLOR: '' })).toBe(true);
    expect(useColor(terminal, { TERM: 'dumb' })).toBe(false);
    expect(useColor({}, {})).toBe(false);
  });
});
