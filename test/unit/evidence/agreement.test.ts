// Goal: two exact sources that cannot both be right are noticed. Method: both sides of 5 ms, for each part.
import { describe, expect, it } from 'vitest';
import { sourcesConflict } from '../../../src/evidence/agreement.ts';
import type { Evidence } from '../../../src/record/stream-record.ts';

const exact = (lengths: Partial<Evidence>): Evidence => ({ source: 's', basis: 'exact', ...lengths });

describe('sources conflict', () => {
  it.each<[string, Evidence[], boolean]>([
    ['not when there are none', [], false],
    ['not when there is one', [exact({ queueNs: 1, prefillNs: 90_000_000 })], false],
    ['not at 5 ms of queue', [exact({ queueNs: 1 }), exact({ queueNs: 5_000_001 })], false],
    ['beyond 5 ms of queue', [exact({ queueNs: 1 }), exact({ queueNs: 5_000_002 })], true],
    ['not at 5 ms of prefill', [exact({ prefillNs: 5_000_000 }), exact({ prefillNs: 0 })], false],
    ['beyond 5 ms of prefill', [exact({ prefillNs: 5_000_001 }), exact({ prefillNs: 0 })], true],
    ['not between different parts', [exact({ queueNs: 0 }), exact({ prefillNs: 90_000_000 })], false],
    ['not with a model', [exact({ queueNs: 0 }), { source: 'm', basis: 'model', queueNs: 90_000_000 }], false],
    ['between any two of three', [exact({ queueNs: 0 }), exact({}), exact({ queueNs: 6_000_000 })], true],
  ])('%s', (_, evidence, expected) => {
    expect(sourcesConflict(evidence)).toBe(expected);
  });
});
