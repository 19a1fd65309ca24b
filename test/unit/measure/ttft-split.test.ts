// Goal: TTFT falls into parts that sum to it exactly, none negative, each between its two events.
// Method: one exchange with every moment apart, then moments in odd order, then random ones.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Split } from '../../../src/measure/figures.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { networkParts, ttftParts } from '../../../src/measure/ttft-split.ts';
import type { Marks } from '../../../src/record/stream-record.ts';
import { buildRecord, ms, read, type RecordSpec } from '../../support/record-builder.ts';
import { fuzz } from '../../support/fuzz.ts';

/** Token received at 500 ms, written 20 µs and accepted 70 µs later. */
const TOKEN = read(500, 'text', { writeAfterNs: 20_000, flushAfterNs: 70_000 });

function splitOf(spec: RecordSpec): Split {
  const { split, ttftNs } = measureRecord(buildRecord({ reads: [TOKEN], ...spec }));
  expect(ttftNs).toBe(ms(500) + 70_000);
  expect(split).toBeDefined();
  expect(sumOf(split as Split)).toBe(ttftNs);
  return split as Split;
}

function sumOf(split: Split): number {
  return ttftParts(split).reduce((sumNs, { partNs }) => sumNs + partNs, 0);
}

function marks(uploadEndMs: number, connectStartMs: number, connectedMs: number, requestSentMs: number): Marks {
  return {
    uploadEndAtNs: ms(uploadEndMs),
    connectStartAtNs: ms(connectStartMs),
    connectedAtNs: ms(connectedMs),
    requestSentAtNs: ms(requestSentMs),
  };
}

describe('a wait in the admission queue', () => {
  test('is rubato and not upload, where the body was taken behind it', () => {
    const split = splitOf({ marks: { admittedAtNs: ms(20), ...marks(30, 31, 38, 40) } });
    expect(split.rubato).toEqual({ forwardNs: ms(10) - ms(7), holdNs: 20_000, waitNs: ms(20) });
    expect(split.network).toMatchObject({ uploadNs: ms(10), connectNs: ms(7) });
    expect(split.rubatoNs).toBe(ms(23) + 20_000);
  });

  test('is not forwarding either, where there was no body', () => {
    const split = splitOf({ marks: { admittedAtNs: ms(20), ...marks(0, 21, 28, 40) } });
    expect(split.rubato).toEqual({ forwardNs: ms(20) - ms(7), holdNs: 20_000, waitNs: ms(20) });
    expect(split.network).toMatchObject({ uploadNs: 0, connectNs: ms(7) });
  });

  test('is absent where there was none', () => {
    expect(splitOf({ marks: marks(30, 31, 38, 40) }).rubato).not.toHaveProperty('waitNs');
  });
});

describe('measured parts', () => {
  test('lie between the moments that follow each other', () => {
    const split = splitOf({
      marks: marks(30, 31, 38, 40),
      connection: { reused: false, tcpNs: ms(7), wireFloorNs: ms(5) },
      evidence: [{ source: 'engine', basis: 'exact', queueNs: ms(200), prefillNs: ms(250) }],
    });
    expect(split).toEqual({
      basis: 'exact',
      queueNs: ms(200),
      prefillNs: ms(250),
      networkNs: ms(30 + 7 + 5) + 50_000,
      network: { uploadNs: ms(30), connectNs: ms(7), wireNs: ms(5), clientNs: 50_000 },
      rubatoNs: ms(3) + 20_000,
      rubato: { forwardNs: ms(3), holdNs: 20_000 },
      otherNs: ms(5),
      rounded: false,
      contradicted: false,
    });
  });

  test('without evidence and without a handshake seen the window is the engine', () => {
    expect(splitOf({ marks: marks(30, 31, 38, 40), connection: { reused: true } })).toEqual({
      basis: 'none',
      networkNs: ms(37) + 50_000,
      network: { uploadNs: ms(30), connectNs: ms(7), clientNs: 50_000 },
      rubatoNs: ms(3) + 20_000,
      rubato: { forwardNs: ms(3), holdNs: 20_000 },
      engineNs: ms(460),
      rounded: false,
      contradicted: false,
    });
  });

  test('connecting counts only after the upload ended', () => {
    expect(splitOf({ marks: marks(30, 1, 20, 31) }).network.connectNs).toBe(0);
    expect(splitOf({ marks: marks(30, 1, 32, 33) }).network.connectNs).toBe(ms(2));
    expect(splitOf({ marks: marks(30, 1, 32, 33) }).rubato.forwardNs).toBe(ms(1));
  });

  test('a connection without both stamps counts as none', () => {
    const { connectStartAtNs, ...rest } = marks(30, 31, 38, 40);
    const record = buildRecord({ reads: [TOKEN] });
    const split = measureRecord({ ...record, marks: { ...rest, clientEndAtNs: ms(600) } }).split;
    expect(connectStartAtNs).toBe(ms(31));
    expect(split?.network.connectNs).toBe(0);
    expect(split?.rubato.forwardNs).toBe(ms(10));
    const half = measureRecord({ ...record, marks: { connectStartAtNs: 0, uploadEndAtNs: 0, requestSentAtNs: ms(1) } });
    expect(half.split?.network.connectNs).toBe(0);
  });
});

describe('early answers', () => {
  const floor = { reused: true, wireFloorNs: ms(5) };

  test('a token before the upload ended: all the time up to it is upload', () => {
    const split = splitOf({ marks: marks(800, 1, 2, 801), connection: floor });
    expect(split.network).toEqual({ uploadNs: ms(500), connectNs: 0, clientNs: 50_000 });
    expect(split.rubato).toEqual({ forwardNs: 0, holdNs: 20_000 });
    expect(split.engineNs).toBe(0);
    expect(split.contradicted).toBe(false);
  });

  test('a token between the end of the upload and the request being sent: the wait is ours', () => {
    const split = splitOf({ marks: marks(100, 1, 2, 900), connection: floor });
    expect(split.rubato.forwardNs).toBe(ms(400));
    expect(split.engineNs).toBe(0);
    expect(split.network).not.toHaveProperty('wireNs');
  });

  test('an upload that never ended, a request that was never sent', () => {
    const record = buildRecord({ reads: [TOKEN], connection: floor });
    const { split } = measureRecord({ ...record, marks: {} });
    expect(split?.network).toEqual({ uploadNs: ms(500), connectNs: 0, clientNs: 50_000 });
    expect(split?.engineNs).toBe(0);
  });

  test('evidence for a window that we did not see contradicts us', () => {
    const split = splitOf({
      marks: marks(800, 1, 2, 801),
      evidence: [{ source: 'engine', basis: 'exact', queueNs: ms(6) }],
    });
    expect(split).toMatchObject({ basis: 'none', engineNs: 0, contradicted: true });
  });
});

describe('samples of the parts', () => {
  test('name what each part rests on and leave out what is unknown', () => {
    const split = splitOf({ evidence: [{ source: 'm', basis: 'model', queueNs: ms(100) }] });
    expect(ttftParts(split)).toEqual([
      { part: 'queue', basis: 'model', partNs: ms(100) },
      { part: 'network', basis: 'measured', partNs: 50_000 },
      { part: 'rubato', basis: 'measured', partNs: 20_000 },
      { part: 'engine', basis: 'remainder', partNs: ms(400) },
    ]);
    expect(ttftParts(splitOf({})).map(({ part }) => part)).toEqual(['network', 'rubato', 'engine']);
    const complete = splitOf({ evidence: [{ source: 'e', basis: 'exact', queueNs: 1, prefillNs: 2 }] });
    expect(ttftParts(complete).map(({ part, basis }) => `${part} ${basis}`)).toEqual([
      'queue exact',
      'prefill exact',
      'network measured',
      'rubato measured',
      'other remainder',
    ]);
  });

  test('the parts of the network sum to it', () => {
    const split = splitOf({ marks: marks(3, 4, 6, 7), connection: { reused: false, wireFloorNs: ms(1) } });
    expect(networkParts(split)).toEqual([
      { part: 'upload', partNs: ms(3) },
      { part: 'connect', partNs: ms(2) },
      { part: 'wire', partNs: ms(1) },
      { part: 'client', partNs: 50_000 },
    ]);
    expect(networkParts(splitOf({})).map(({ part }) => part)).toEqual(['upload', 'connect', 'client']);
  });
});

test('for moments in any order the parts sum to TTFT and none is negative', () => {
  const atNs = fc.integer({ min: 0, max: ms(30) });
  const maybeNs = fc.option(atNs, { nil: undefined });
  const spec = fc.record({
    receivedAtMs: fc.integer({ min: 0, max: 30 }),
    writeAfterNs: fc.integer({ min: -ms(2), max: ms(5) }),
    flushAfterNs: fc.integer({ min: 0, max: ms(5) }),
    marks: fc.record(
      { admittedAtNs: atNs, uploadEndAtNs: atNs, connectStartAtNs: atNs, connectedAtNs: atNs, requestSentAtNs: atNs },
      { requiredKeys: [] },
    ),
    wireFloorNs: maybeNs,
    queueNs: maybeNs,
    prefillNs: maybeNs,
  });
  fc.assert(
    fc.property(spec, ({ receivedAtMs, writeAfterNs, flushAfterNs, wireFloorNs, queueNs, prefillNs, ...rest }) => {
      const record = buildRecord({
        reads: [read(receivedAtMs, 'text', { writeAfterNs, flushAfterNs })],
        connection: { reused: true, ...(wireFloorNs === undefined ? {} : { wireFloorNs }) },
        evidence: [
          {
            source: 'e',
            basis: 'exact',
            ...(queueNs === undefined ? {} : { queueNs }),
            ...(prefillNs === undefined ? {} : { prefillNs }),
          },
        ],
      });
      const { ttftNs, split } = measureRecord({ ...record, marks: rest.marks });
      const parts = [...ttftParts(split as Split), ...networkParts(split as Split)].map(({ partNs }) => partNs);
      const ours = Object.values((split as Split).rubato);
      expect(sumOf(split as Split)).toBe(ttftNs);
      expect(networkParts(split as Split).reduce((sumNs, { partNs }) => sumNs + partNs, 0)).toBe(split?.networkNs);
      expect(ours.reduce((sumNs, partNs) => sumNs + partNs, 0)).toBe(split?.rubatoNs);
      expect([...parts, ...ours].every((partNs) => Number.isSafeInteger(partNs) && partNs >= 0)).toBe(true);
    }),
    fuzz(500),
  );
});
