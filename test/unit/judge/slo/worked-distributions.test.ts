// Goal: the distributions that show how means and averaged percentiles lie come out to the digit, and objectives
// see through them. Method: streams with exactly these gaps.
import { describe, expect, test } from 'vitest';
import { averagesWarning } from '../../../../src/judge/slo/averages.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';
import { ascending, nearestRank } from '../../../../src/measure/percentile.ts';
import { replayStream } from '../../../../src/measure/replay.ts';
import { createSummary } from '../../../../src/telemetry/summary.ts';
import { ms } from '../../../support/record-builder.ts';
import { reportOf, tell } from '../../telemetry/reports.ts';
import { demandRecord, objective, sloOf, streamOf } from './records.ts';

/** Every twentieth of 200 gaps is 60 ms, all others 10 ms. */
const UNEVEN = Array.from({ length: 200 }, (_, index) => (index % 20 === 9 ? 60 : 10));
const SMOOTH = Array.from({ length: 1_000 }, () => 10);

const uneven = { reads: streamOf(100, UNEVEN), tokens: { output: 201, basis: 'usage' as const } };
const smooth = { reads: streamOf(100, SMOOTH), tokens: { output: 1_001, basis: 'usage' as const } };

describe('200 gaps with ten of 60 ms', () => {
  test('TPOT 12.5, p50 10, p90 10, p99 60', () => {
    const record = demandRecord(uneven, []);
    const { tpotNs, gapsReceived } = measureRecord(record);
    expect(tpotNs).toBe(ms(12.5));
    expect(gapsReceived).toMatchObject({ count: 200, p50Ns: ms(10), p99Ns: ms(60), maxNs: ms(60) });
    const gapsNs = ascending(replayStream(record).gapsNs.received);
    expect(nearestRank(gapsNs, 90)).toBe(ms(10));
  });

  test('a TPOT objective is content with what a gap objective is not', () => {
    const slo = sloOf(uneven, [
      objective('tpot', 15),
      objective('gap_percentile', 15, { name: 'gap_p90', percent: 90 }),
      objective('gap_percentile', 15, { name: 'gap_p99', percent: 99 }),
      objective('gap_max', 15),
    ]);
    expect(slo?.objectives).toEqual([
      { name: 'tpot', met: 'true', valueNs: ms(12.5) },
      { name: 'gap_p90', met: 'true', valueNs: ms(10) },
      { name: 'gap_p99', met: 'false', valueNs: ms(60) },
      { name: 'gap_max', met: 'false', valueNs: ms(60) },
    ]);
    expect(slo?.good).toBe('false');
  });
});

describe('pooled with 1,000 smooth gaps', () => {
  const p99 = objective('gap_pooled', 10, { name: 'gap_pooled_p99', percent: 99, target: 0.99 });

  test('the pooled p99 is 10: 1,190 of 1,200 gaps keep it, which is more than 99 of 100', () => {
    const [own, other] = [uneven, smooth].map((spec) => sloOf(spec, [p99])?.objectives[0]);
    expect(own).toEqual({ name: 'gap_pooled_p99', met: 'false', gaps: { within: 190, beyond: 10, unknown: 0 } });
    expect(other).toEqual({ name: 'gap_pooled_p99', met: 'true', gaps: { within: 1_000, beyond: 0, unknown: 0 } });
    expect(nearestRank(ascending([...UNEVEN, ...SMOOTH]), 99)).toBe(10);
  });

  test('the mean of the two p99s, 35, is a warning and no figure', () => {
    const pooled = ascending([...UNEVEN, ...SMOOTH].map(ms));
    const warning =
      'The mean of the gap p99 of 2 exchanges would be 35 ms; the p99 of all their gaps together is 10 ms. ' +
      'Percentiles cannot be averaged.';
    expect(averagesWarning(99, [ms(60), ms(10)], pooled)).toBe(warning);
    const summary = createSummary();
    tell(summary, reportOf(uneven));
    tell(summary, reportOf(smooth));
    const [row] = summary.read().classes;
    expect(row?.warnings).toEqual([warning]);
    expect(row?.gap).toMatchObject({ count: 1_200, p50Ns: ms(10), p99Ns: ms(10), maxNs: ms(60) });
    expect(row?.gapP99).toMatchObject({ count: 2, minNs: ms(10), maxNs: ms(60) });
    expect(JSON.stringify({ ...row, warnings: [] })).not.toContain(String(ms(35)));
  });

  test('there is none where the average would be near enough', () => {
    expect(averagesWarning(99, [ms(10), ms(11)], [ms(10)])).toBeUndefined();
    expect(averagesWarning(99, [ms(60)], [ms(10)])).toBeUndefined();
  });
});

describe('two configurations of 300 tokens', () => {
  const batching = {
    reads: streamOf(
      400,
      Array.from({ length: 299 }, () => 19),
    ),
  };
  const queueing = {
    reads: streamOf(
      3_900,
      Array.from({ length: 299 }, () => 7),
    ),
  };
  const tokens = { output: 300, basis: 'usage' as const };
  const promised = [
    objective('ttft', 800),
    objective('tpot', 10),
    objective('e2e', 20_000, { scope: { outputTokensMax: 300 } }),
  ];

  test('take 6.08 and 5.99 s end to end', () => {
    const seconds = [batching, queueing].map((spec) => {
      const { ttftNs, tpotNs, durationNs } = measureRecord(demandRecord({ ...spec, tokens }, []));
      return [ttftNs, tpotNs, (durationNs / 1e9).toFixed(2)];
    });
    expect(seconds).toEqual([
      [ms(400), ms(19), '6.08'],
      [ms(3_900), ms(7), '5.99'],
    ]);
  });

  test('have opposite verdicts, though end to end they are alike', () => {
    const verdicts = [batching, queueing].map((spec) =>
      sloOf({ ...spec, tokens }, promised)?.objectives.map(({ name, met }) => `${name} ${met}`),
    );
    expect(verdicts).toEqual([
      ['ttft true', 'tpot false', 'e2e true'],
      ['ttft false', 'tpot true', 'e2e true'],
    ]);
  });
});
