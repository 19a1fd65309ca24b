// Goal: the speed bench judges medians of one run, by the right side of each limit, and never what was not measured or
// was measured with a load tool at its limit. Method: made-up turns around each limit.
import { describe, expect, it } from 'vitest';
import type { Results, Values } from '../../bench/speed/figures.ts';
import { judge, TARGETS } from '../../bench/speed/targets.ts';

function word(results: Results, what: string): string | undefined {
  return judge(results).find(({ target }) => target.what.startsWith(what))?.word;
}

const cpu = (us: number, more: Values = {}): Values[] => [{ cpuUsPerChunk: us, ...more }];

describe('targets of the speed bench', () => {
  it('passes at the limit and misses just above it', () => {
    const at = (us: number): Results => ({ a: { rubato: cpu(us), 'http-proxy': cpu(100) } });
    expect(word(at(110), '(a) CPU a chunk, whole')).toBe('PASS');
    expect(word(at(110.1), '(a) CPU a chunk, whole')).toBe('MISS');
  });

  it('holds the relay thread against the whole of a bare proxy', () => {
    const at = (us: number): Results => ({ a: { rubato: cpu(500, { relayUsPerChunk: us }), 'http-proxy': cpu(100) } });
    expect(word(at(90), '(a) CPU a chunk, relay')).toBe('PASS');
    expect(word(at(90.1), '(a) CPU a chunk, relay')).toBe('MISS');
  });

  it('takes the median of the turns, not their mean', () => {
    const results = { a: { rubato: [...cpu(100), ...cpu(900), ...cpu(101)], 'http-proxy': cpu(100) } };
    expect(word(results, '(a) CPU a chunk, whole')).toBe('PASS');
  });

  it('compares what is added to the direct way', () => {
    const at = (ms: number): Results => ({
      d: { direct: [{ firstP50Ms: 1 }], rubato: [{ firstP50Ms: ms }], pipe: [{ firstP50Ms: 2 }] },
    });
    expect(word(at(2.19), '(d)')).toBe('PASS');
    expect(word(at(2.21), '(d)')).toBe('MISS');
  });

  it('gives no verdict against a proxy that seems to add nothing', () => {
    const results = { d: { direct: [{ firstP50Ms: 2 }], rubato: [{ firstP50Ms: 1 }], pipe: [{ firstP50Ms: 2 }] } };
    expect(word(results, '(d)')).toBe('NONE');
  });

  it('asks for at least so many chunks a second', () => {
    const chunks = (count: number): Values[] => [{ chunksPerSecond: count }];
    const at = (count: number): Results => ({
      c: { rubato: chunks(count), 'http-proxy': chunks(1), litellm: chunks(1_000) },
    });
    expect(word(at(10_000), '(c) chunks/s at saturation against litellm')).toBe('PASS');
    expect(word(at(9_999), '(c) chunks/s at saturation against litellm')).toBe('MISS');
  });

  it('allows a difference where there is no ratio', () => {
    const at = (kib: number): Results => ({ g: { rubato: [{ kibPerStream: kib }], pipe: [{ kibPerStream: 40 }] } });
    expect(word(at(64), '(g)')).toBe('PASS');
    expect(word(at(64.1), '(g)')).toBe('MISS');
  });

  it('lets reads an event differ by a hundredth in either direction', () => {
    const at = (share: number): Results => ({
      a: { direct: [{ readsPerEvent: 1 }], rubato: [{ readsPerEvent: share }] },
    });
    expect(word(at(0.995), '(a) reads')).toBe('PASS');
    expect(word(at(0.98), '(a) reads')).toBe('MISS');
    expect(word(at(1.02), '(a) reads')).toBe('MISS');
  });

  it('compares chunks while exporting with those of the same turns, beyond direct', () => {
    const at = (ms: number): Results => ({
      i: { direct: [{ chunkP50Ms: 1 }], rubato: [{ chunkP50Ms: 2, busyP50Ms: ms, busyWorstMoreMs: 11 }] },
    });
    expect(word(at(2.05), '(i) added')).toBe('PASS');
    expect(word(at(2.2), '(i) added')).toBe('MISS');
    expect(word(at(2.05), '(i) worst')).toBe('MISS');
  });

  it('gives no verdict when a side was not measured, and only on scenarios that were played', () => {
    const results: Results = { a: { rubato: cpu(1) } };
    expect(word(results, '(a) CPU a chunk, whole')).toBe('NONE');
    expect(word(results, '(e)')).toBeUndefined();
  });

  it('gives no verdict when the load tool was at its limit on either side', () => {
    const tool = { toolShare: 0.9 };
    expect(word({ a: { rubato: cpu(500, tool), 'http-proxy': cpu(100) } }, '(a) CPU a chunk, whole')).toBe('VOID');
    expect(word({ a: { rubato: cpu(1), 'http-proxy': cpu(100, tool) } }, '(a) CPU a chunk, whole')).toBe('VOID');
  });

  it('names each target once', () => {
    const names = TARGETS.map(({ what }) => what);
    expect(new Set(names).size).toBe(names.length);
  });
});
