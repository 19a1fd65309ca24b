// Goal: a service whose averages are in order and whose users are unhappy gets the diagnosis that it needs, with numbers.
// Method: its ten minutes written down slice by slice, as they were met.
import { describe, expect, test } from 'vitest';
import type { DiagnosisFacts } from '../../../../src/judge/diagnosis/facts.ts';
import { diagnose } from '../../../../src/judge/diagnosis/rules.ts';
import { facts, slice } from '../../../support/diagnosis.ts';

/**
 * A service of 300 users whose averages are in order: TTFT p50 0.42, p95 2.4, p99 4.8 s; gaps p50 78, p95 310, p99
 * 640 ms; four requests wait, above forty in bursts of long prompts; KV cache 88 %.
 */
function unhappyService(): DiagnosisFacts {
  const slices = Array.from({ length: 60 }, (_, index) => {
    const burst = index % 6 === 0;
    return slice(
      burst
        ? {
            gapsMs: [
              [78, 700],
              [310, 160],
              [640, 60],
            ],
            arrivalCount: 60,
            endCount: 30,
            promptTokens: 600_000,
            waitingMaxCount: 43,
            kvUsedMaxRatio: 0.88,
          }
        : {
            gapsMs: [
              [78, 900],
              [310, 22],
            ],
            arrivalCount: 24,
            endCount: 30,
            promptTokens: 24_000,
            waitingMaxCount: 4,
            kvUsedMaxRatio: 0.88,
          },
    );
  });
  return facts({
    slices,
    ttftMs: [
      [420, 900],
      [2_400, 70],
      [4_800, 30],
    ],
    queueMs: [
      [60, 900],
      [1_900, 70],
      [4_200, 30],
    ],
  });
}

describe('the service with averages in order and users unhappy', () => {
  const diagnosis = diagnose(unhappyService());

  test('is one of prompts that come in bursts: they slow running streams and wait themselves', () => {
    expect(diagnosis.findings.map(({ cause }) => cause)).toEqual(
      ['queueing', 'prefill_interference'].toSorted((a, b) => weightOf(b) - weightOf(a)),
    );
    expect(weightOf('prefill_interference')).toBeGreaterThanOrEqual(0.7);
    expect(weightOf('queueing')).toBeGreaterThanOrEqual(0.4);
  });

  function weightOf(cause: string): number {
    return diagnosis.findings.find((finding) => finding.cause === cause)?.weight ?? 0;
  }

  test('the p99 gap is a slow step, and the KV cache is not to blame at 88 %', () => {
    expect(diagnosis.p99Side).toBe('slow');
    expect(diagnosis.findings.some(({ cause }) => cause === 'kv_pressure')).toBe(false);
  });

  test('the advice begins with what costs nothing and ends with machines', () => {
    const steps = diagnosis.playbook.map(({ step }) => step);
    expect(steps[0]).toContain('prefix cache');
    expect(steps[1]).toContain('chunk of a prefill smaller');
    expect(steps.at(-1)).toBe('Add replicas.');
    expect(diagnosis.playbook[1]?.why).toContain('TTFT grows');
  });

  test('queues in bursts are told as bursts', () => {
    const queueing = diagnosis.findings.find(({ cause }) => cause === 'queueing');
    expect(queueing?.says).toContain('43 waiting at most, 4 usually, so it comes in bursts');
  });
});
