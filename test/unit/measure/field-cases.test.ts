// Goal: failures that people reported of streaming paths and of what measures them give the right figures.
// Method: each case as a record, named by its id in our list of field cases; kinds D (what counts as the
// first token), E (gaps and tokens), F (TTFT), H and I (ends), O (slow readers). Wire tests repeat them
// with real sockets.
import { describe, expect, test } from 'vitest';
import type { Figures } from '../../../src/measure/figures.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { buildRecord, FLUSH_AFTER_NS, ms, read, type RecordSpec, texts } from '../../support/record-builder.ts';

function measure(spec: RecordSpec): { record: StreamRecord; figures: Figures } {
  const record = buildRecord(spec);
  return { record, figures: measureRecord(record) };
}

/** TTFT and TTFO end when the chunk is accepted for the client, not when it is received. */
function deliveredAt(atMs: number): number {
  return ms(atMs) + FLUSH_AFTER_NS;
}

/** The figures of `count` gaps of the same length. */
function equalGaps(count: number, everyMs: number) {
  return { count, sumNs: ms(count * everyMs), minNs: ms(everyMs), maxNs: ms(everyMs), p50Ns: ms(everyMs) };
}

describe('D: what counts as the first token', () => {
  test('D1: a role mark does not stop the clock', () => {
    const { figures } = measure({
      reads: [read(100, 'role'), read(1200, 'text'), read(1220, 'text'), read(1221, 'done')],
    });
    expect(figures.firstEventNs).toBe(ms(100));
    expect(figures.ttftNs).toBe(deliveredAt(1200));
    expect(figures.gapsReceived).toEqual(equalGaps(1, 20));
  });

  test('D2: reasoning is a token, and not a visible one', () => {
    const thinking = Array.from({ length: 21 }, (_, index) => read(300 + 100 * index, 'reasoning'));
    const { record, figures } = measure({ reads: [...thinking, read(2400, 'text'), read(2401, 'done')] });
    expect(figures.ttftNs).toBe(deliveredAt(300));
    expect(figures.ttfoNs).toBe(deliveredAt(2400));
    expect(record.answer.eventCounts).toMatchObject({ reasoning: 21, content: 1 });
  });

  test('D3: a first chunk without choices is no token', () => {
    const { record, figures } = measure({
      reads: [read(50, 'other'), read(700, 'text'), read(720, 'other'), read(721, 'done')],
    });
    expect(figures.ttftNs).toBe(deliveredAt(700));
    expect(figures.gapsReceived.count).toBe(0);
    expect(record.end.outcome).toBe('ok');
  });

  test('D4: lifecycle frames come first, the first delta is the token', () => {
    const { figures } = measure({
      reads: [
        read(20, 'lifecycle'),
        read(25, 'lifecycle'),
        read(30, 'lifecycle'),
        read(900, 'text'),
        read(920, 'text'),
        read(930, 'usage finish'),
      ],
      answer: { dialect: 'openai-responses' },
      tokens: { output: 2, basis: 'usage' },
    });
    expect(figures.firstEventNs).toBe(ms(20));
    expect(figures.ttftNs).toBe(deliveredAt(900));
    expect(figures.gapsReceived).toEqual(equalGaps(1, 20));
    expect(figures.tpotNs).toBe(ms(20));
  });

  test('D5: comments are no tokens and split no gap', () => {
    const { record, figures } = measure({
      reads: [
        read(100, 'comment'),
        read(200, 'comment'),
        read(300, 'comment'),
        read(350, 'text'),
        read(460, 'comment'),
        read(550, 'text'),
        read(551, 'done'),
      ],
    });
    expect(figures.ttftNs).toBe(deliveredAt(350));
    expect(figures.gapsReceived).toEqual(equalGaps(1, 200));
    expect(record.answer.eventCounts.comment).toBe(4);
  });

  test.each(['tool', 'refusal', 'audio', 'image'])('a fragment of %s is a visible token', (word) => {
    const { figures } = measure({ reads: [read(10, 'role'), read(40, word), read(50, 'done')] });
    expect(figures.ttftNs).toBe(deliveredAt(40));
    expect(figures.ttfoNs).toBe(deliveredAt(40));
  });
});

describe('E: gaps and tokens', () => {
  test('E1: several tokens a chunk make one gap a chunk, and per-token time divides by tokens', () => {
    const reads = [500, 580, 660, 740, 820].map((atMs, index) => read(atMs, `text:${4 * (index + 1)}`));
    const { figures } = measure({ reads, tokens: { output: 20, basis: 'usage' } });
    expect(figures.gapsReceived).toEqual(equalGaps(4, 80));
    expect(figures.tpotNs).toBe(ms(20));
    expect(measure({ reads }).figures).not.toHaveProperty('tpotNs');
  });

  test('E2: several events in one read make one gap, the others are counted apart', () => {
    const { figures } = measure({ reads: [read(100, 'text text text'), read(160, 'text done')] });
    expect(figures.gapsReceived).toEqual(equalGaps(1, 60));
    expect(figures.coalescedCount).toBe(2);
  });

  test('E3: usage and a late end mark make no gap and end no token', () => {
    const { figures } = measure({
      reads: [...texts(300, 50, 10), read(751, 'usage:10'), read(950, 'done')],
      tokens: { output: 10, basis: 'usage' },
    });
    expect(figures.gapsReceived).toEqual(equalGaps(9, 50));
    expect(figures.lastTokenNs).toBe(ms(750));
    expect(figures.tpotNs).toBe(ms(50));
    expect(figures.durationNs).toBe(deliveredAt(950));
  });

  test('E4: one freeze of two seconds is seen beside a mild mean', () => {
    const { figures } = measure({
      reads: [...texts(100, 10, 50), ...texts(2590, 10, 50)],
      stallMs: 1000,
      tokens: { output: 100, basis: 'usage' },
    });
    expect(figures.gapsReceived).toEqual({
      count: 99,
      sumNs: ms(2980),
      minNs: ms(10),
      maxNs: ms(2000),
      p50Ns: ms(10),
      p95Ns: ms(10),
    });
    expect(figures.stalls).toEqual([{ chunk: 50, atNs: ms(2590), gapNs: ms(2000) }]);
    expect(figures.tpotNs).toBe(Math.round(ms(2980) / 99));
  });

  test('E5: the wait for the first token is no gap', () => {
    const { figures } = measure({ reads: [...texts(3000, 20, 5), read(3081, 'done')] });
    expect(figures.gapsReceived).toEqual(equalGaps(4, 20));
    expect(figures.ttftNs).toBe(deliveredAt(3000));
  });
});

describe('F: TTFT and its parts', () => {
  test("F2: a wait for a connection is the network's and not the engine's", () => {
    const { figures } = measure({
      reads: [read(1520, 'text')],
      marks: { uploadEndAtNs: 0, connectStartAtNs: 0, connectedAtNs: ms(1500), requestSentAtNs: ms(1500) },
    });
    expect(figures.split?.network.connectNs).toBe(ms(1500));
    expect(figures.split?.engineNs).toBe(ms(20));
  });

  test('F3: queue and prefill are told apart by evidence, and absent without it', () => {
    const spec = { reads: [read(1500, 'text')] };
    const evidence = [{ source: 'engine', basis: 'exact', queueNs: ms(1000), prefillNs: ms(500) }] as const;
    expect(measure({ ...spec, evidence }).figures.split).toMatchObject({
      basis: 'exact',
      queueNs: ms(1000),
      prefillNs: ms(500),
      otherNs: 0,
    });
    const { split } = measure(spec).figures;
    expect(split).toMatchObject({ basis: 'none', engineNs: ms(1500) });
    expect(split).not.toHaveProperty('queueNs');
    expect(split).not.toHaveProperty('prefillNs');
  });

  test('F4: TTFT is that of the first token, however many follow', () => {
    const { figures } = measure({ reads: [...texts(200, 20, 51), read(1201, 'done')] });
    expect(figures.ttftNs).toBe(deliveredAt(200));
    expect(figures.gapsReceived.count).toBe(50);
  });

  test('F5-like: evidence that cannot be true of this exchange never makes a part negative', () => {
    const evidence = [{ source: 'engine', basis: 'exact', queueNs: ms(400), prefillNs: ms(900) }] as const;
    const { split, ttftNs } = measure({ reads: [read(500, 'text')], evidence }).figures;
    expect(split).toMatchObject({ basis: 'none', engineNs: ms(500), contradicted: true });
    expect((split?.networkNs ?? 0) + (split?.rubatoNs ?? 0) + (split?.engineNs ?? 0)).toBe(ttftNs);
  });
});

describe('H and I: ends', () => {
  test('H1: an error in the stream keeps the TTFT it had', () => {
    const { record, figures } = measure({ reads: [read(100, 'text'), read(150, 'error done')] });
    expect(record.end.outcome).toBe('error_inband');
    expect(figures.ttftNs).toBe(deliveredAt(100));
  });

  test('H2: a cut keeps the gaps it had', () => {
    const { record, figures } = measure({ reads: texts(100, 20, 3), wire: 'upstream_aborted' });
    expect(record.end).toMatchObject({ outcome: 'upstream_aborted', phase: 'mid_stream' });
    expect(figures.gapsReceived).toEqual(equalGaps(2, 20));
  });

  test('H3: a clean end without a terminal mark is incomplete', () => {
    expect(measure({ reads: texts(100, 20, 2) }).record.end.outcome).toBe('incomplete');
  });

  test('H5: an error as the very first event is no token', () => {
    const { record, figures } = measure({ reads: [read(40, 'error')] });
    expect(record.end).toMatchObject({ outcome: 'error_inband', phase: 'before_token' });
    expect(figures.noFirstToken).toBe('error');
    expect(figures).not.toHaveProperty('ttftNs');
  });

  test('I1: a client that leaves mid-stream keeps its TTFT', () => {
    const { record, figures } = measure({ reads: texts(50, 50, 4), wire: 'client_abort' });
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'mid_stream' });
    expect(figures.ttftNs).toBe(deliveredAt(50));
  });

  test('I2: a client that leaves before the head counts as cancelled', () => {
    const { record, figures } = measure({ status: null, wire: 'client_abort', marks: { clientEndAtNs: ms(100) } });
    expect(record.end).toMatchObject({ outcome: 'client_abort', phase: 'before_head' });
    expect(figures.noFirstToken).toBe('canceled');
  });
});

describe('O: slow readers', () => {
  test("O2: a gap made by a client that stops reading is the client's, and is no stall of the engine", () => {
    const { figures } = measure({
      reads: [...texts(10, 10, 40), ...texts(2010, 10, 60)],
      blockedMs: [401, 2005],
    });
    expect(figures.taintedCounts.backpressure).toBe(1);
    expect(figures.backpressureNs).toBe(ms(1604));
    expect(figures.stallCount).toBe(0);
    expect(figures.gapsReceived).toEqual({ ...equalGaps(98, 10), p95Ns: ms(10) });
  });

  test('O2 near miss: the same silence with a client that reads is a stall', () => {
    const { figures } = measure({ reads: [...texts(10, 10, 40), ...texts(2010, 10, 60)] });
    expect(figures.taintedCounts.backpressure).toBe(0);
    expect(figures.stalls).toEqual([{ chunk: 40, atNs: ms(2010), gapNs: ms(1610) }]);
  });
});
