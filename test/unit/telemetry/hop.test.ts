// Goal: what two points say of a hop is told alike by metrics and spans. Method: one report in, compare.
import { TraceFlags } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { judgeHop } from '../../../src/judge/hop/judge-hop.ts';
import { HOP_EXCHANGES, HOP_HOLD, HOP_METRICS, HOP_UNPAIRED } from '../../../src/judge/hop/metrics.ts';
import type { Report } from '../../../src/judge/report.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import type { HopFacts } from '../../../src/record/hop-facts.ts';
import { merged } from '../../../src/telemetry/attribute-parts.ts';
import { createHopFeed } from '../../../src/telemetry/hop-feed.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { clientAttributes } from '../../../src/telemetry/span-attributes.ts';
import { hopLinks } from '../../../src/telemetry/span-hop.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { byTimer, type Hop, hopRecord, passes, type Piece, steady } from '../judge/hop/records.ts';
import { LABELS, reportOf } from './reports.ts';

function report(hop: Hop, changes: Partial<HopFacts> = {}, pieces: readonly Piece[] = steady(20, 100)): Report {
  const made = hopRecord({ pieces, hop });
  const record = { ...made, hop: { ...(made.hop as HopFacts), ...changes } };
  const verdict = judgeHop(record);
  const figures = measureRecord(record);
  return { record, figures, labels: LABELS, outputBucket: '0-64', ...(verdict === undefined ? {} : { hop: verdict }) };
}

const UNPAIRED: Report = { ...reportOf({}), unpaired: { hop: 'gateway', reason: 'outside' } };
const CONTEXT = { provider: 'x', upstream: undefined, startAtNs: 0 };

function counted(...reports: Report[]): Record<string, number> {
  const store = createMetricStore({ specs: HOP_METRICS, known: { hop: ['gateway'] }, startEpochMs: 0 });
  const feed = createHopFeed(store);
  for (const each of reports) feed.onReport?.(each, undefined);
  const samples = parsePrometheus(renderMetrics(store.collect(), {}, 'text')).filter(
    ({ name }) => name.startsWith('rubato_hop') && !name.endsWith('_bucket'),
  );
  return Object.fromEntries(
    samples
      .map(({ name, labels, value }) => [`${name} ${Object.values(labels).join(' ')}`, value] as const)
      .filter(([, value]) => value !== 0),
  );
}

test('pairs are counted by verdict, exchanges without one by reason, and the largest hold is a sample', () => {
  expect(counted(report(byTimer(250, 3)), report(passes()), report(passes(), {}, []), UNPAIRED)).toEqual({
    'rubato_hop_exchanges_total gateway holds': 1,
    'rubato_hop_exchanges_total gateway passes': 1,
    'rubato_hop_exchanges_total gateway none': 1,
    'rubato_hop_unpaired_total gateway outside': 1,
    'rubato_hop_hold_seconds_count default m gateway': 2,
    'rubato_hop_hold_seconds_sum default m gateway': 0.2435,
  });
});

test('counters of configured hops start at 0, and none are there without a hop', () => {
  const names = (hops: readonly string[]): number =>
    createMetricStore({ specs: [HOP_EXCHANGES, HOP_UNPAIRED, HOP_HOLD], known: { hop: hops }, startEpochMs: 0 })
      .collect()
      .reduce((sum, { spec, scalars }) => sum + (HOP_METRICS.includes(spec) ? scalars.length : 0), 0);
  expect([names([]), names(['gateway'])]).toEqual([0, 10]);
});

describe('the CLIENT span', () => {
  test('says what the hop did', () => {
    expect(merged(clientAttributes(report(byTimer(250, 3), { changes: ['usage_lost'] }), CONTEXT))).toMatchObject({
      'rubato.hop.name': 'gateway',
      'rubato.hop.verdict': 'holds',
      'rubato.hop.way': 'timer',
      'rubato.hop.hold_max_us': 243_200,
      'rubato.hop.ttft_added_us': 154_200,
      'rubato.hop.gap_jitter_us': 240_000,
      'rubato.hop.paired_by': 'trace',
      'rubato.hop.changes': ['usage_lost'],
      'rubato.hop.inner_id': '0.0-2',
    });
  });

  test('says why there is no pair', () => {
    expect(merged(clientAttributes(UNPAIRED, CONTEXT))).toMatchObject({
      'rubato.hop.name': 'gateway',
      'rubato.hop.unpaired': 'outside',
    });
  });

  test('says nothing before an engine', () => {
    const names = Object.keys(merged(clientAttributes(reportOf({}), CONTEXT)));
    expect(names.filter((name) => name.startsWith('rubato.hop'))).toEqual([]);
  });

  test('links to the span behind the hop, where that took part in a trace', () => {
    const [traceId, serverSpanId] = ['0af7651916cd43dd8448eb211c80319c', '00f067aa0ba902b7'];
    const { inner } = report(passes()).record.hop as HopFacts;
    const linked = report(passes(), { inner: { ...inner, trace: { traceId, serverSpanId, sampled: true } } });
    expect(hopLinks(report(passes()))).toEqual([]);
    expect(hopLinks(linked)).toEqual([
      { context: { traceId, spanId: serverSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true } },
    ]);
  });
});

test('the span of an edge states no usage, so that sums over spans count a stream once', () => {
  const spec = { tokens: { prompt: 9, output: 3, cached: 1, reasoning: 1, basis: 'usage' } } as const;
  const names = (edge: object): string[] => Object.keys(merged(clientAttributes(reportOf(spec, edge), CONTEXT)));
  const isUsage = (name: string): boolean => name.startsWith('gen_ai.usage.');
  expect(names({}).filter(isUsage)).toHaveLength(4);
  expect(names({ edge: 'gateway' }).filter(isUsage)).toEqual([]);
  expect(names({ edge: 'gateway' })).toContain('gen_ai.operation.name');
});
