// Goal: what happened between two polls, and nothing where an engine began anew in between.
// Method: two readings of vLLM's page each, exact figures.
import { describe, expect, test } from 'vitest';
import { MetricsScanner } from '../../../../src/observe/engine-metrics/prometheus-text.ts';
import { ENGINE_METRIC_NAMES, readEngine } from '../../../../src/observe/engine-metrics/reading.ts';
import { meanOf, preemptedBetween, type Poll, windowBetween } from '../../../../src/observe/engine-metrics/window.ts';
import { LLAMA_CPP_PAGE, SGLANG_PAGE, tensorRtLlmPage, vllmPage, type VllmNumbers } from './pages.ts';

function poll(page: string, answeredAtS: number): Poll {
  const scanner = new MetricsScanner(ENGINE_METRIC_NAMES);
  scanner.feed(page);
  const reading = readEngine(scanner.end().samples);
  if (reading === undefined) throw new Error('the page is of no engine');
  return { askedAtNs: answeredAtS * 1e9 - 1e6, answeredAtNs: answeredAtS * 1e9, reading };
}

function vllm(before: VllmNumbers, after: VllmNumbers): [Poll, Poll] {
  return [poll(vllmPage(before), 10), poll(vllmPage(after), 15)];
}

describe('a window', () => {
  test('has means, shares and a rate', () => {
    const polls = vllm(
      { queue: [1, 10], prefill: [2, 10], generated: 100, prompt: [10, 100], drafts: [0, 0] },
      { queue: [1.5, 14], prefill: [2.125, 14], generated: 600, prompt: [40, 160], drafts: [3, 4] },
    );
    expect(windowBetween(...polls)).toEqual({
      windowNs: 5e9,
      queueMeanNs: 125_000_000,
      prefillMeanNs: 31_250_000,
      prefixHitRatio: 0.5,
      draftAcceptedRatio: 0.75,
      generatedPerSecond: 100,
    });
  });

  test('in which nothing happened has no mean and no share, and a rate of 0', () => {
    expect(windowBetween(...vllm({ queue: [1, 4] }, { queue: [1, 4] }))).toEqual({
      windowNs: 5e9,
      generatedPerSecond: 0,
    });
  });

  test('is empty when a counter shrank, a series went, or the process is another one', () => {
    const full: VllmNumbers = { queue: [9, 9], prefill: [9, 9], generated: 9, prompt: [9, 9], drafts: [9, 9] };
    expect(windowBetween(...vllm(full, { queue: [1, 1] }))).toEqual({ windowNs: 5e9 });
    const other = { ...full, queue: [10, 10], generated: 10, startedEpochS: 1.8e9 } as const;
    expect(windowBetween(...vllm(full, other))).toEqual({ windowNs: 5e9 });
    const [before, after] = [
      vllmPage(full) + vllmPage(full, '1'),
      vllmPage({ ...full, queue: [10, 10], generated: 10 }),
    ];
    expect(windowBetween(poll(before, 10), poll(after, 15))).toEqual({ windowNs: 5e9 });
  });

  test('counts a series that came into being from 0', () => {
    const [before, after] = [
      vllmPage({ queue: [1, 1] }),
      vllmPage({ queue: [1, 1] }) + vllmPage({ queue: [0.5, 1] }, '1'),
    ];
    expect(windowBetween(poll(before, 1), poll(after, 2)).queueMeanNs).toBe(500_000_000);
  });

  test("takes an engine's own figures where it counts nothing", () => {
    const twice = (page: string) => windowBetween(poll(page, 1), poll(page, 2));
    expect(twice(SGLANG_PAGE)).toMatchObject({ prefixHitRatio: 0.75, draftAcceptedRatio: 0.6 });
    expect(twice(tensorRtLlmPage('trtllm_'))).toMatchObject({ prefixHitRatio: 0.5, stepMeanNs: 12_500_000 });
  });

  test('adds the cached tokens to those that leave them out', () => {
    const later = LLAMA_CPP_PAGE.replace('total 300', 'total 360').replace('cached_total 100', 'cached_total 140');
    expect(windowBetween(poll(LLAMA_CPP_PAGE, 1), poll(later, 2)).prefixHitRatio).toBe(0.4);
  });

  test('of a part that is ahead of its whole has a share of 1', () => {
    expect(windowBetween(...vllm({ prompt: [0, 10] }, { prompt: [12, 20] })).prefixHitRatio).toBe(1);
  });
});

describe('the growth of a sum and its count', () => {
  test('is exact to the ns in the range of real engines', () => {
    const grown = meanOf(
      ...vllm({ queue: [86_400.123456789, 1_000_000] }, { queue: [86_400.135802356, 1_000_001] }),
      'queue',
    );
    expect(grown).toMatchObject({ count: 1, observedAt: 'finish' });
    expect(Math.round((grown?.sumS ?? 0) * 1e9)).toBe(12_345_567);
  });

  test('is unknown when only one of the two has it', () => {
    expect(meanOf(poll(SGLANG_PAGE, 1), poll(vllmPage(), 2), 'queue')).toBeUndefined();
    expect(meanOf(poll(SGLANG_PAGE, 1), poll(SGLANG_PAGE, 2), 'step')).toBeUndefined();
  });
});

describe('preemptions', () => {
  test('grow, and go on after an engine began anew', () => {
    expect(preemptedBetween(...vllm({ preempted: 5 }, { preempted: 7 }))).toBe(2);
    expect(preemptedBetween(...vllm({ preempted: 5 }, { preempted: 3 }))).toBe(3);
    expect(preemptedBetween(...vllm({ preempted: 5 }, { preempted: 6, startedEpochS: 1.8e9 }))).toBe(6);
    expect(preemptedBetween(poll(LLAMA_CPP_PAGE, 1), poll(LLAMA_CPP_PAGE, 2))).toBeUndefined();
  });
});
