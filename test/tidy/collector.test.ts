// Goal: whatever the shipped Collector configurations and ClickHouse views ask for by name is what rubato sends, so that
// a renamed attribute or metric leaves no view empty and no policy deaf.
// Method: the files are read for names, which are looked up in the tables that rubato itself sends by.
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { OWN_METRICS } from '../../src/telemetry/metric-table.ts';
import { SCOPE_NAME } from '../../src/telemetry/otlp-metrics.ts';
import { EVENT_STALL, SPAN_ATTRIBUTES, SPAN_CHUNKS } from '../../src/telemetry/span-names.ts';
import { filesBelow, readText } from './sources.ts';

const ATTRIBUTES: ReadonlySet<string> = new Set(Object.keys(SPAN_ATTRIBUTES));
const COUNTERS = new Map(OWN_METRICS.filter(({ type }) => type === 'counter').map((spec) => [spec.name, spec]));

const VIEWS = filesBelow('deploy/clickhouse', ['.sql']);
const CONFIGURATIONS = filesBelow('deploy/collector', ['.yaml']);

/** Without its comments, which name what they like. */
function sqlOf(path: string): string {
  return readText(path).replaceAll(/--.*$/gm, '');
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

describe('views in ClickHouse', () => {
  test('are there', () => expect(VIEWS.length).toBeGreaterThan(5));

  test.each(VIEWS)('%s: each attribute is one of a span', (path) => {
    const names = all(sqlOf(path), /(?:SpanAttributes|moment\.3)\['([^']+)'\]/g);
    expect(names.filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
  });

  test.each(VIEWS)('%s: each other name is that of a counter or an event, and its labels are the counter’s', (path) => {
    const rest = sqlOf(path).replaceAll(/\w+(?:\.3)?\['rubato[^']*'\]/g, '');
    const names = all(rest, /'(rubato\.[^']+)'/g).filter((name) => name !== EVENT_STALL);
    expect(names.filter((name) => !COUNTERS.has(name))).toEqual([]);
    const labels = new Set(names.flatMap((name) => ['class', 'model', ...COUNTERS.get(name)!.labels]));
    expect(all(rest, /\battributes\['([^']+)'\]/g).filter((label) => !labels.has(label as never))).toEqual([]);
  });

  test.each(VIEWS)('%s: what is rubato’s is told by the scope that it sends', (path) => {
    const text = sqlOf(path);
    const scopes = all(text, /ScopeName = '([^']+)'/g);
    expect(scopes).toEqual(all(text, /FROM (otel_\w+)/g).map(() => SCOPE_NAME));
  });
});

describe('configurations of the Collector', () => {
  test('are there', () => expect(CONFIGURATIONS.length).toBeGreaterThan(4));

  test.each(CONFIGURATIONS)('%s: each name is that of an attribute or of the span of chunks', (path) => {
    const { processors = {} } = parse(readText(path)) as { processors?: object };
    const names = all(stringify(processors), /\b(rubato\.[a-z_.]+)/g);
    expect(names.filter((name) => !ATTRIBUTES.has(name) && name !== SPAN_CHUNKS)).toEqual([]);
  });

  test('tail sampling goes by figures that are integers in the unit of its limits', () => {
    const names = all(readText('deploy/collector/tail-sampling.yaml'), /numeric_attribute: \{ key: ([^,]+),/g);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !/_us$|\.count$/.test(name))).toEqual([]);
  });
});
