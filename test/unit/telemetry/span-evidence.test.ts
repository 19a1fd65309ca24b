// Goal: spans say what the parts rest on, in whole µs, and pass on nothing of the engine but numbers under
// bounded names. Method: evidence of each kind, and statements with names that are none.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { engineAttributes, evidenceAttributes, saidAttributes } from '../../../src/telemetry/span-evidence.ts';
import { buildRecord } from '../../support/record-builder.ts';

const QUEUE: Evidence = { source: 'a', basis: 'exact', queueNs: 1_500_400, definition: 'queue: so' };
const BOTH: Evidence = {
  source: 'b',
  basis: 'exact',
  queueNs: 9_000_000,
  prefillNs: 2_000_600,
  definition: 'both: so',
};
const MODEL: Evidence = { source: 'm', basis: 'model', queueNs: 5_000, prefillNs: 6_000, errorNs: 700_000 };

const told = (evidence: readonly Evidence[]): Record<string, unknown> =>
  JSON.parse(JSON.stringify(evidenceAttributes(buildRecord({ evidence }))));

describe('evidence on a span', () => {
  it('is that of the pieces used, each once, in the order of the parts', () => {
    expect(told([QUEUE, BOTH, MODEL])).toEqual({
      'rubato.evidence.source': ['a', 'b'],
      'rubato.evidence.basis': 'exact',
      'rubato.evidence.definition': ['queue: so', 'both: so'],
      'rubato.evidence.queue_us': 1_500,
      'rubato.evidence.prefill_us': 2_001,
    });
    expect(told([BOTH])['rubato.evidence.source']).toEqual(['b']);
  });

  it('leaves out what was not told', () => {
    expect(told([{ source: 'a', basis: 'exact', prefillNs: 1_000 }])).toEqual({
      'rubato.evidence.source': ['a'],
      'rubato.evidence.basis': 'exact',
      'rubato.evidence.prefill_us': 1,
    });
    expect(told([])).toEqual({});
  });

  it('has the error band of an estimate', () => {
    expect(told([MODEL])).toMatchObject({ 'rubato.evidence.basis': 'model', 'rubato.evidence.error_us': 700 });
  });
});

describe('the engine on a span', () => {
  it('is its name, how it was known and its version', () => {
    const engine = { name: 'llama.cpp', by: 'body', version: 'b11434' } as const;
    expect(engineAttributes({ ...buildRecord(), engine })).toEqual({
      'rubato.engine.name': 'llama.cpp',
      'rubato.engine.by': 'body',
      'rubato.engine.version': 'b11434',
    });
    expect(JSON.stringify(engineAttributes(buildRecord()))).toBe('{}');
  });

  it('has its numbers by their paths, unless a path is no name', () => {
    const statements = {
      'timings.prompt_ms': 8.25,
      'head.server-timing.q': 1,
      'stats.what the user said': 2,
      'a.é': 3,
    };
    expect(saidAttributes({ ...buildRecord(), statements })).toEqual({
      'rubato.engine.said.timings.prompt_ms': 8.25,
      'rubato.engine.said.head.server-timing.q': 1,
    });
    expect(saidAttributes(buildRecord())).toEqual({});
  });
});
