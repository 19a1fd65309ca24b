// Goal: every exchange that owed tokens and has no TTFT counts under one reason; others under none.
// Method: one record a reason, each beside a near miss.
import { describe, expect, test } from 'vitest';
import { NO_FIRST_TOKEN_REASONS, WIRE_ENDS } from '../../../src/base/outcome.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { buildRecord, read, type RecordSpec } from '../../support/record-builder.ts';

function reasonOf(spec: RecordSpec): string | undefined {
  const figures = measureRecord(buildRecord(spec));
  expect(figures.noFirstToken === undefined || figures.ttftNs === undefined).toBe(true);
  return figures.noFirstToken;
}

const SILENT = [read(100, 'role'), read(200, 'done')];
const TOKEN_NEVER_FLUSHED = [read(100, 'text', { flushAfterNs: null })];

describe('exchanges that owe tokens', () => {
  test('a stream with its token delivered has no reason', () => {
    expect(reasonOf({ reads: [read(100, 'text')], wire: 'client_abort' })).toBeUndefined();
  });

  test('no_output: a whole stream without a fragment', () => {
    expect(reasonOf({ reads: SILENT })).toBe('no_output');
  });

  test('canceled: the client left, before the head or after it', () => {
    expect(reasonOf({ status: null, wire: 'client_abort' })).toBe('canceled');
    expect(reasonOf({ reads: [read(100, 'role')], wire: 'client_abort' })).toBe('canceled');
  });

  test('canceled: the token came but the client had gone before it was delivered', () => {
    expect(reasonOf({ reads: TOKEN_NEVER_FLUSHED, wire: 'client_abort' })).toBe('canceled');
  });

  test('error: an in-band error, an error status, a fault before or after the head', () => {
    expect(reasonOf({ reads: [read(40, 'error')] })).toBe('error');
    expect(reasonOf({ reads: [read(40, 'error')], wire: 'client_abort' })).toBe('error');
    expect(reasonOf({ status: 503 })).toBe('error');
    expect(reasonOf({ status: null, wire: 'connect_error' })).toBe('error');
    expect(reasonOf({ reads: [read(100, 'role')], wire: 'upstream_aborted' })).toBe('error');
  });

  test('timeout: a limit of ours, also when we answered 504 in its name', () => {
    expect(reasonOf({ status: 504, wire: 'timeout_head' })).toBe('timeout');
    expect(reasonOf({ reads: [read(100, 'role')], wire: 'timeout_idle' })).toBe('timeout');
    expect(reasonOf({ reads: [read(100, 'role')], wire: 'client_stalled' })).toBe('timeout');
  });

  test('tape: parts of the body were lost and no token was seen in the rest', () => {
    expect(reasonOf({ reads: SILENT, doubts: ['tape_bytes'] })).toBe('tape');
    expect(reasonOf({ reads: SILENT, doubts: ['tape_chunks'] })).toBe('tape');
    expect(reasonOf({ reads: SILENT, doubts: ['parse_error'] })).toBe('no_output');
  });

  test('tape: the token seen may not be the first, or its delivery was not stamped', () => {
    const afterLoss = [read(100, 'role'), read(200, 'text', { flags: 2 })];
    expect(reasonOf({ reads: afterLoss, doubts: ['tape_chunks'] })).toBe('tape');
    expect(reasonOf({ reads: TOKEN_NEVER_FLUSHED })).toBe('tape');
    expect(reasonOf({ reads: TOKEN_NEVER_FLUSHED, wire: 'client_abort', doubts: ['tape_chunks'] })).toBe('tape');
  });

  test('unreadable: nobody could read the stream', () => {
    const raw = [read(100, ''), read(200, '')];
    expect(reasonOf({ reads: raw, answer: { unreadable: 'gzip' } })).toBe('unreadable');
    expect(reasonOf({ reads: raw, answer: { dialect: 'opaque' }, wire: 'client_abort' })).toBe('unreadable');
    expect(reasonOf({ answer: { streamed: false, dialect: 'opaque', unreadable: 'br' } })).toBe('unreadable');
  });

  test('every end on the wire has a reason of the closed set', () => {
    for (const wire of WIRE_ENDS)
      expect(NO_FIRST_TOKEN_REASONS).toContain(reasonOf({ reads: [read(1, 'role')], wire }));
  });
});

describe('exchanges that owe none', () => {
  test('answers that are not streams, although a stream was asked for', () => {
    expect(reasonOf({ answer: { streamed: false } })).toBeUndefined();
    expect(reasonOf({ answer: { streamed: false }, wire: 'client_abort' })).toBeUndefined();
  });

  test('requests that asked for no stream, or of which that is unknown', () => {
    expect(reasonOf({ status: null, wire: 'client_abort', request: { stream: false } })).toBeUndefined();
    const { request, ...rest } = buildRecord({ status: 404 });
    const { stream, ...unknown } = request;
    expect(stream).toBe(true);
    expect(measureRecord({ ...rest, request: unknown }).noFirstToken).toBeUndefined();
  });
});
