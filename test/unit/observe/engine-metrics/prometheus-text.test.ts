// Goal: of a page only the wanted samples are kept, exactly, wherever it was cut on its way, and no page
// can make the reader hold much or work long.
// Method: small pages in both formats, every cut of one of them, and pages made to hurt.
import { describe, expect, test } from 'vitest';
import { METRICS_LINE_MAX_CHARS, METRICS_SAMPLES_MAX_COUNT } from '../../../../src/base/poll-limits.ts';
import { MetricsScanner, type Page } from '../../../../src/observe/engine-metrics/prometheus-text.ts';
import { vllmPage } from './pages.ts';

function scan(text: string, wanted: readonly string[], pieceChars = text.length || 1): Page {
  const scanner = new MetricsScanner(new Set(wanted));
  for (let from = 0; from < text.length; from += pieceChars) scanner.feed(text.slice(from, from + pieceChars));
  return scanner.end();
}

const PAGE = `# HELP a Things, "quoted" and {braced} 5
# TYPE a counter
a_total{x="1"} 2
unwanted 7
a_total{x="with } brace, \\"quote\\", \\\\ and\\nbreak",y=""} 3.5e1 1700000000000

b 0.25
  indented 1
`;
const A = { name: 'a_total', labels: { x: '1' }, value: 2 };
const ODD = { name: 'a_total', labels: { x: 'with } brace, "quote", \\ and\nbreak', y: '' }, value: 35 };
const B = { name: 'b', labels: {}, value: 0.25 };

describe('samples', () => {
  test('are read with labels, escapes, timestamps and without', () => {
    expect(scan(PAGE, ['a_total', 'b'])).toEqual({ form: 'metrics', samples: [A, ODD, B], skippedCount: 0 });
  });

  test('are the same wherever the page was cut', () => {
    const whole = scan(PAGE, ['a_total', 'b']);
    for (let pieceChars = 1; pieceChars <= PAGE.length; pieceChars += 1) {
      expect(scan(PAGE, ['a_total', 'b'], pieceChars), `pieces of ${pieceChars}`).toEqual(whole);
    }
  });

  test('end without a line break, and with the two characters of Windows', () => {
    expect(scan('b 1\r\nb{x="1"} 2\r\nb 3', ['b']).samples.map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  test('of OpenMetrics lose their exemplars and keep their values', () => {
    const text = '# TYPE a counter\na_total 5.0 # {trace_id="x y"} 0.3 1.5\na_bucket{le="1"} 4 17.5 # {} 1\n# EOF\n';
    expect(scan(text, ['a_total', 'a_bucket']).samples.map(({ value }) => value)).toEqual([5, 4]);
  });

  test('that are no finite number are left out', () => {
    const text = 'b NaN\nb +Inf\nb -Inf\nb Inf\nb\nb \nb x\nb{x="1" 4\nb -1.5\n';
    expect(scan(text, ['b']).samples.map(({ value }) => value)).toEqual([-1.5]);
  });
});

describe('what is no page of metrics', () => {
  test.each([
    ['{"iter": 1}', 'json'],
    [' \n[]', 'json'],
    ['\n\n[{"a_total": 1}]\na_total 5\n', 'json'],
    ['<!doctype html>\n<html>\na_total 5\n', 'other'],
    ['hello world\na_total 5\n', 'other'],
    ['OK', 'other'],
    ['', 'empty'],
    ['# only a comment\n', 'empty'],
  ])('%j is %s', (text, form) => {
    expect(scan(text, ['a_total', 'hello'])).toEqual({ form, samples: [], skippedCount: 0 });
  });

  test('is told on a single endless line', () => {
    expect(scan(`[${'1,'.repeat(METRICS_LINE_MAX_CHARS)}`, [], 1000).form).toBe('json');
  });
});

describe('bounds', () => {
  test('a line that is too long is skipped, and the next one is read', () => {
    const text = `a 1\nb{x="${'y'.repeat(METRICS_LINE_MAX_CHARS)}"} 1\nb 2\n`;
    for (const pieceChars of [64, 10_000, 100_000]) {
      const { samples, skippedCount } = scan(text, ['b'], pieceChars);
      expect([samples.length, samples[0]?.value, skippedCount], `pieces of ${pieceChars}`).toEqual([1, 2, 1]);
    }
  });

  test('samples beyond the cap are counted', () => {
    const page = scan('b 1\n'.repeat(METRICS_SAMPLES_MAX_COUNT + 3), ['b']);
    expect([page.samples.length, page.skippedCount]).toEqual([METRICS_SAMPLES_MAX_COUNT, 3]);
  });

  test('label sets made to be slow are not', () => {
    const text = `b{${'a'.repeat(16_000)}} 1\nb{${'a="b"'.repeat(3_000)}} 2\nb{${'a="\\'.repeat(4_000)}"} 3\n`.repeat(
      50,
    );
    const before = performance.now();
    scan(text, ['b']);
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  test('a page of five million characters holds the thread for less than 50 ms at a time', () => {
    const text = vllmPage().repeat(Math.ceil(5e6 / vllmPage().length));
    const scanner = new MetricsScanner(new Set(['vllm:num_requests_running']));
    const lengthsMs: number[] = [];
    for (let from = 0; from < text.length; from += 65_536) {
      const before = performance.now();
      scanner.feed(text.slice(from, from + 65_536));
      lengthsMs.push(performance.now() - before);
    }
    expect(Math.max(...lengthsMs)).toBeLessThan(50);
    expect(scanner.end().samples.length).toBeGreaterThan(1_000);
  });
});
