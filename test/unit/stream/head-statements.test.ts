// Goal: times and load in response heads are read as their writers mean them, and malformed ones left
// alone without their neighbours. Method: heads as published, then the grammar's corners.
import { describe, expect, it } from 'vitest';
import { noteHeadStatements } from '../../../src/stream/head-statements.ts';
import { parseServerTiming } from '../../../src/stream/server-timing.ts';

function statedIn(...fields: string[]): Record<string, number> {
  const stated: Record<string, number> = {};
  noteHeadStatements(fields, (path, value) => (stated[path] = value));
  return stated;
}

describe('statements of a head', () => {
  it('are the fields that engines and hops send, by lower-case name', () => {
    expect(statedIn('X-Queue-Time', '12', 'x-compute-time', '0.25', 'openai-processing-ms', '812')).toEqual({
      'head.x-queue-time': 12,
      'head.x-compute-time': 0.25,
      'head.openai-processing-ms': 812,
    });
    expect(statedIn('Fireworks-Prefill-Duration', '0.25', 'fireworks-deployment', 'd1')).toEqual({
      'head.fireworks-prefill-duration': 0.25,
    });
  });

  it('are no other field and no text', () => {
    expect(statedIn('content-length', '12', 'x-queue-time', '12ms', 'x-request-id', '7', 'age', '3')).toEqual({});
    expect(statedIn('x-queue-time')).toEqual({});
  });

  it('hold the load report in both forms', () => {
    const waiting = 'head.endpoint-load-metrics.named_metrics.num_requests_waiting';
    const cache = 'head.endpoint-load-metrics.named_metrics.kv_cache_usage_perc';
    const text = 'TEXT named_metrics.kv_cache_usage_perc=0.4, named_metrics.num_requests_waiting=2.0';
    const json =
      'JSON {"named_metrics": {"kv_cache_usage_perc": 0.4, "num_requests_waiting": 2, "x": "y"}, "cpu": null}';
    expect(statedIn('endpoint-load-metrics', text)).toEqual({ [cache]: 0.4, [waiting]: 2 });
    expect(statedIn('Endpoint-Load-Metrics', json)).toEqual({ [cache]: 0.4, [waiting]: 2 });
    expect(statedIn('endpoint-load-metrics', 'json {"cpu_utilization": 0.5}')).toEqual({
      'head.endpoint-load-metrics.cpu_utilization': 0.5,
    });
  });

  it.each(['', 'TEXT', 'TEXT =1, a, b=', 'JSON {', 'JSON [1]', 'BIN CgkJ', 'JSON {"a": 1e999}'])(
    'are none in the load report %j',
    (report) => {
      expect(statedIn('endpoint-load-metrics', report)).toEqual({});
    },
  );

  it('are the entries of Server-Timing that tell a length', () => {
    expect(statedIn('Server-Timing', 'gfet4t7; dur=5062, miss, Queue;dur=12.5;desc="a, b"')).toEqual({
      'head.server-timing.gfet4t7': 5062,
      'head.server-timing.queue': 12.5,
    });
  });
});

describe('two hops that write Server-Timing', () => {
  it('each tell what only they name, and nothing by a name that both give different lengths', () => {
    const told = { 'head.server-timing.edge': 3, 'head.server-timing.prefill': 40 };
    expect(
      statedIn('server-timing', 'queue;dur=50, prefill;dur=40', 'server-timing', 'queue;dur=1, edge;dur=3'),
    ).toEqual(told);
    expect(statedIn('server-timing', 'queue;dur=50, queue;dur=1, queue;dur=50, prefill;dur=40, edge;dur=3')).toEqual(
      told,
    );
  });

  it('tell a length that both give alike', () => {
    expect(statedIn('server-timing', 'queue;dur=5', 'Server-Timing', 'queue;dur=5.0, queue')).toEqual({
      'head.server-timing.queue': 5,
    });
  });
});

describe('Server-Timing', () => {
  it.each<[string, ReturnType<typeof parseServerTiming>]>([
    [
      'db;dur=53, app;dur=47.2',
      [
        { name: 'db', durationMs: 53 },
        { name: 'app', durationMs: 47.2 },
      ],
    ],
    ['cache;desc="Cache Read";dur=23.2', [{ name: 'cache', durationMs: 23.2 }]],
    ['a;desc="x, y;dur=9";dur=1, b', [{ name: 'a', durationMs: 1 }, { name: 'b' }]],
    ['a;desc="\\"";dur=1', [{ name: 'a', durationMs: 1 }]],
    ['a;desc="open, b;dur=2', [{ name: 'a' }]],
    ['a ; dur = 3 ; x', [{ name: 'a', durationMs: 3 }]],
    ['a;dur="4.5"', [{ name: 'a', durationMs: 4.5 }]],
    ['a;DUR=5;dur=6', [{ name: 'a', durationMs: 5 }]],
    ['a;dur=x;dur=6', [{ name: 'a' }]],
    ['a;dur', [{ name: 'a' }]],
    ['a;dur=', [{ name: 'a' }]],
    ['a;dur=5ms', [{ name: 'a' }]],
    ['a;dur=-5', [{ name: 'a' }]],
    ['a;dur=.5', [{ name: 'a', durationMs: 0.5 }]],
    ['a;;dur=1', [{ name: 'a', durationMs: 1 }]],
    [' , ,a;dur=1,', [{ name: 'a', durationMs: 1 }]],
    ['(bad);dur=1, b;dur=2', [{ name: 'b', durationMs: 2 }]],
    ['a=1;dur=2, b;dur=3', [{ name: 'a' }, { name: 'b', durationMs: 3 }]],
    ['', []],
  ])('%j', (value, expected) => {
    expect(parseServerTiming(value)).toEqual(expected);
  });

  it('is bounded, also where nothing ever ends', () => {
    expect(parseServerTiming('a;dur=1,'.repeat(10_000))).toHaveLength(32);
    expect(parseServerTiming(`a;desc=${'"\\'.repeat(20_000)}`)).toEqual([{ name: 'a' }]);
    expect(parseServerTiming(','.repeat(60_000))).toEqual([]);
  });
});
