// Goal: what a class promises in YAML becomes objectives with names that can be labels, and each mistake is one
// sentence with its place, all of them at once. Method: literal values as a YAML parser gives them.
import { describe, expect, test } from 'vitest';
import { checkPromises, type RawClass } from '../../../src/config/objectives.ts';

const BUCKETS = ['0-256', '256-1k', '1k+', 'unknown'];

function check(raw: RawClass) {
  return checkPromises(raw, 'classes[0]', BUCKETS);
}

function faultsOf(...objectives: readonly unknown[]): readonly string[] {
  return check({ objectives }).faults;
}

describe('presets', () => {
  test('chat', () => {
    expect(check({ preset: 'chat' })).toEqual({
      value: {
        objectives: [
          { name: 'ttft_800ms', kind: 'ttft', limitNs: 800_000_000, target: 0.95 },
          { name: 'ttft_2s', kind: 'ttft', limitNs: 2_000_000_000, target: 0.99 },
          { name: 'gap_pooled_p95', kind: 'gap_pooled', percent: 95, limitNs: 150_000_000, target: 0.95 },
          { name: 'gap_pooled_p99', kind: 'gap_pooled', percent: 99, limitNs: 300_000_000, target: 0.99 },
          { name: 'e2e', kind: 'e2e', limitNs: 20_000_000_000, target: 0.95, scope: { outputTokensMax: 256 } },
          { name: 'valid', kind: 'valid', target: 0.999 },
        ],
      },
      faults: [],
    });
  });

  test('smooth', () => {
    expect(check({ preset: 'smooth' }).value.objectives).toEqual([
      { name: 'tpot', kind: 'tpot', limitNs: 35_000_000, target: 0.95 },
    ]);
  });

  test('batch takes answers that were cut off or withheld for invalid', () => {
    expect(check({ preset: 'batch' }).value.objectives).toEqual([
      { name: 'valid', kind: 'valid', target: 0.99, invalidFinishes: ['length', 'content_filter'] },
    ]);
  });

  test('what a class says itself of a figure stands in the place of all that its preset says of it', () => {
    const objectives = [{ objective: 'ttft', max_ms: 500, target: 0.9 }];
    const names = check({ preset: 'chat', objectives }).value.objectives?.map(({ name, limitNs }) => [name, limitNs]);
    expect(names).toEqual([
      ['gap_pooled_p95', 150_000_000],
      ['gap_pooled_p99', 300_000_000],
      ['e2e', 20_000_000_000],
      ['valid', undefined],
      ['ttft', 500_000_000],
    ]);
  });

  test('a misspelt one is told with the nearest', () => {
    expect(check({ preset: 'smoth' }).faults).toEqual([
      'classes[0].preset: "smoth" is not one of chat, smooth, batch. Did you mean "smooth"?',
    ]);
  });
});

describe('objectives', () => {
  test('every figure, with whom it is for', () => {
    const { value, faults } = check({
      objectives: [
        { objective: 'ttft', max_ms: 800, target: 0.95, prompt_buckets: ['0-256', '256-1k'] },
        { objective: 'ttfo', max_ms: 1500.5, target: 0.9 },
        { objective: 'gap_max', max_ms: 100, target: 0.99 },
        { objective: 'gap_p50', max_ms: 30, target: 0.99 },
        { objective: 'gap_p95', max_ms: 40, target: 0.95 },
        { objective: 'gap_pooled_p99', max_ms: 60 },
        { objective: 'tpot', max_ms: 35, target: 0.95, prompt_tokens_min: 10, prompt_tokens_max: 2000 },
        { objective: 'e2e', max_ms: 20_000, target: 0.95, output_tokens_max: 256 },
        { objective: 'valid', target: 0.999, invalid_finish_reasons: ['length'] },
        { objective: 'served', target: 0.99 },
      ],
    });
    expect(faults).toEqual([]);
    expect(value.objectives).toEqual([
      { name: 'ttft', kind: 'ttft', limitNs: 8e8, target: 0.95, scope: { promptBuckets: ['0-256', '256-1k'] } },
      { name: 'ttfo', kind: 'ttfo', limitNs: 1_500_500_000, target: 0.9 },
      { name: 'gap_max', kind: 'gap_max', limitNs: 100_000_000, target: 0.99 },
      { name: 'gap_p50', kind: 'gap_percentile', percent: 50, limitNs: 30_000_000, target: 0.99 },
      { name: 'gap_p95', kind: 'gap_percentile', percent: 95, limitNs: 40_000_000, target: 0.95 },
      { name: 'gap_pooled_p99', kind: 'gap_pooled', percent: 99, limitNs: 60_000_000, target: 0.99 },
      {
        name: 'tpot',
        kind: 'tpot',
        limitNs: 35_000_000,
        target: 0.95,
        scope: { promptTokensMin: 10, promptTokensMax: 2000 },
      },
      { name: 'e2e', kind: 'e2e', limitNs: 2e10, target: 0.95, scope: { outputTokensMax: 256 } },
      { name: 'valid', kind: 'valid', target: 0.999, invalidFinishes: ['length'] },
      { name: 'served', kind: 'served', target: 0.99 },
    ]);
  });

  test('two of one figure are told apart by their limits, or by names of their own', () => {
    const { value, faults } = check({
      objectives: [
        { objective: 'ttft', max_ms: 800, target: 0.95 },
        { objective: 'ttft', max_ms: 2000, target: 0.99 },
        { objective: 'ttft', max_ms: 2000, target: 0.5, name: 'ttft_short', prompt_tokens_max: 2000 },
        { objective: 'gap_p95', max_ms: 40, target: 0.95 },
      ],
    });
    expect(faults).toEqual([]);
    expect(value.objectives?.map(({ name }) => name)).toEqual(['ttft_800ms', 'ttft_2s', 'ttft_short', 'gap_p95']);
  });

  test('two that would be counted as one are refused', () => {
    const twice = { objective: 'valid', target: 0.9 };
    expect(faultsOf(twice, twice)).toEqual([
      'classes[0].objectives: two objectives would be counted as "valid"; give one of them a name of its own.',
    ]);
  });

  test('end to end without a bound on the answer is a fault', () => {
    expect(faultsOf({ objective: 'e2e', max_ms: 20_000, target: 0.95 })).toEqual([
      'classes[0].objectives[0].output_tokens_max: it is missing: without a bound, end to end is about how long an answer was asked for.',
    ]);
  });

  test('all faults are told at once, with what was probably meant', () => {
    const faults = faultsOf(
      { objective: 'tfft', max_ms: 0, target: 95 },
      { objective: 'gap_p999', max_ms: 40, target: 0.95 },
      { objective: 'ttft', taget: 0.95 },
      { objective: 'gap_pooled_p95', max_ms: 40, target: 0.95 },
      { objective: 'valid', max_ms: 4, target: 0.95 },
      { objective: 'served', target: 0.95, invalid_finish_reasons: ['length'] },
      {
        objective: 'tpot',
        max_ms: 3,
        target: 0.95,
        prompt_tokens_min: 3,
        prompt_tokens_max: 2,
        prompt_buckets: ['256-1K2'],
      },
      { objective: 'tpot', max_ms: '3', target: 0.95, name: 'asked_tpot' },
      {},
      7,
    );
    const place = (index: number, field: string): string => `classes[0].objectives[${index}].${field}`;
    expect(faults).toEqual([
      `${place(0, 'max_ms')}: expected a number of ms above 0 and up to 3600000.`,
      `${place(0, 'target')}: expected a share above 0 and below 1, such as 0.95.`,
      `${place(0, 'objective')}: there is no figure "tfft". Did you mean "ttft"?`,
      `${place(1, 'objective')}: expected a percentile from p50 to p99; for the worst gap there is gap_max.`,
      `${place(2, 'taget')}: there is no such key. Did you mean "target"?`,
      `${place(2, 'max_ms')}: it is missing.`,
      `${place(2, 'target')}: it is missing: expected a share above 0 and below 1, such as 0.95.`,
      `${place(3, 'target')}: a percentile of pooled gaps is a share itself; leave it out.`,
      `${place(4, 'max_ms')}: this figure is no length, so it has no limit in ms.`,
      `${place(5, 'invalid_finish_reasons')}: only "valid" looks at finish reasons.`,
      `${place(6, 'prompt_tokens_max')}: it is below prompt_tokens_min, so the objective is for nobody.`,
      `${place(6, 'prompt_buckets[0]')}: there is no such bucket; there are 0-256, 256-1k, 1k+, unknown. Did you mean "256-1k"?`,
      `${place(7, 'name')}: this name is kept for what clients ask for by header.`,
      `${place(7, 'max_ms')}: expected a number of ms above 0 and up to 3600000.`,
      `${place(8, 'objective')}: it is missing.`,
      'classes[0].objectives[9]: expected keys and values, not "7".',
    ]);
  });

  test('what is like no figure is told which there are, and a percentile has one name only', () => {
    const there =
      'There are ttft, ttfo, gap_max, tpot, e2e, valid, served, and percentiles such as gap_p95 and gap_pooled_p95.';
    expect(
      faultsOf({ objective: 'latency', max_ms: 9, target: 0.9 }, { objective: 'gap_p095', max_ms: 9, target: 0.9 }),
    ).toEqual([
      `classes[0].objectives[0].objective: there is no figure "latency". ${there}`,
      'classes[0].objectives[1].objective: there is no figure "gap_p095". Did you mean "gap_p95"?',
    ]);
  });

  test('a list is needed, and not an endless one', () => {
    expect(check({ objectives: {} }).faults).toEqual(['classes[0].objectives: expected a list of objectives.']);
    const many = Array.from({ length: 17 }, (_, index) => ({
      objective: `gap_p${50 + index}`,
      max_ms: 9,
      target: 0.9,
    }));
    expect(faultsOf(...many.slice(1))).toEqual([]);
    expect(faultsOf(...many)).toEqual(['classes[0].objectives: 17 objectives are more than the 16 allowed.']);
  });
});

describe('jobs', () => {
  test('have a deadline, and take for invalid what batches do', () => {
    expect(check({ job: { deadline_s: 600, output_tokens_per_second_min: 3000 } }).value.job).toEqual({
      deadlineMs: 600_000,
      outputTokensPerSecondMin: 3000,
      validTarget: 0.99,
      invalidFinishes: ['length', 'content_filter'],
    });
  });

  test('mistakes are told one by one', () => {
    const job = { deadline: 600, output_tokens_per_second_min: 0, valid_target: 1 };
    expect(check({ job }).faults).toEqual([
      'classes[0].job.deadline_s: it is missing.',
      'classes[0].job.output_tokens_per_second_min: expected a number of tokens a second above 0.',
      'classes[0].job.valid_target: expected a share above 0 and below 1, such as 0.95.',
      'classes[0].job.deadline: there is no such key. Did you mean "deadline_s"?',
    ]);
  });
});
