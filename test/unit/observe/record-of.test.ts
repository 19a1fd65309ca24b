// Goal: a record says who ended the exchange in bounded words, keeps its trace, and holds nothing unbounded.
// Method: hand-made ends and openings; one part of the record a case.
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/base/error-codes.ts';
import { NAME_MAX_CHARS } from '../../../src/base/limits.ts';
import { WIRE_ENDS } from '../../../src/base/outcome.ts';
import type { TraceIds } from '../../../src/tape/entries.ts';
import { CHAT_FIELDS, finish, recordOf, text } from './tape-play.ts';

const TRACE: TraceIds = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  parentSpanId: 'b7ad6b7169203331',
  serverSpanId: '00f067aa0ba902b7',
  clientSpanId: '53995c3f42cd8ad8',
  sampled: false,
};

describe('the end', () => {
  const endOf = (...args: Parameters<typeof recordOf>) => {
    const { reason, code } = recordOf(...args).end;
    return [reason, code];
  };

  test('of an answer that the engine made has a reason when there is one, never a code', () => {
    expect(endOf((play) => play.end(1, { wireEnd: 'client_abort' }))).toEqual([undefined, undefined]);
    expect(endOf((play) => play.head(1).end(2, { wireEnd: 'upstream_aborted', reason: 'ECONNRESET' }))).toEqual([
      'ECONNRESET',
      undefined,
    ]);
    expect(endOf((play) => play.end(1, { wireEnd: 'shutdown', reason: 'RBT_SHUTDOWN' }))).toEqual([
      'RBT_SHUTDOWN',
      undefined,
    ]);
  });

  test('of an answer that rubato made has the code of its end, where that has one', () => {
    for (const wireEnd of WIRE_ENDS) {
      const known = wireEnd in ERROR_CODES ? ERROR_CODES[wireEnd as keyof typeof ERROR_CODES].code : undefined;
      expect(endOf((play) => play.end(1, { wireEnd, answeredByUs: true }))).toEqual([undefined, known]);
      expect(endOf((play) => play.end(1, { wireEnd, answeredByUs: true, reason: 'EPIPE' }))).toEqual(['EPIPE', known]);
    }
  });

  test('of a refusal has its own code in place of a reason', () => {
    const refused = { wireEnd: 'client_protocol', reason: 'RBT_NO_ROUTE', answeredByUs: true } as const;
    expect(endOf((play) => play.end(1, refused))).toEqual([undefined, 'RBT_NO_ROUTE']);
  });
});

describe('the trace', () => {
  const traceOf = (trace: TraceIds | undefined, fields: string[] = []) => {
    return recordOf((play) => play.end(1), { trace, fields: [...CHAT_FIELDS, ...fields] }).trace;
  };

  test('is absent where there is none', () => {
    expect(traceOf(undefined, ['tracestate', 'a=1'])).toBeUndefined();
  });

  test('has its ids and, with a parent, the state as it came', () => {
    expect(traceOf(TRACE)).toEqual(TRACE);
    expect(traceOf(TRACE, ['tracestate', 'a=1', 'TraceState', 'b=2'])).toEqual({ ...TRACE, traceState: 'a=1, b=2' });
  });

  test('that begins here has no state: the one that came belonged to another', () => {
    const { parentSpanId: _, ...own } = TRACE;
    expect(traceOf({ ...TRACE, parentSpanId: undefined }, ['tracestate', 'a=1'])).toEqual(own);
  });

  test('keeps 512 characters of the state', () => {
    expect(traceOf(TRACE, ['tracestate', `a=${'x'.repeat(600)}`])?.traceState).toHaveLength(512);
  });
});

describe('names from the wire', () => {
  test('are cut: method, path and model', () => {
    const model = 'm'.repeat(NAME_MAX_CHARS + 50);
    const { request } = recordOf((play) => finish(play.request({ model }).head(1).chunk(2, text('a'))), {
      method: 'M'.repeat(40),
      target: `/${'p'.repeat(200)}`,
    });
    expect([request.method.length, request.path.length, request.model?.length]).toEqual([
      32,
      NAME_MAX_CHARS,
      NAME_MAX_CHARS,
    ]);
  });

  test('hold no query, also of a target that is nothing but one', () => {
    expect(recordOf((play) => play.end(1), { target: '/v1?key=secret?x' }).request.path).toBe('/v1');
    expect(recordOf((play) => play.end(1), { target: '?key=secret' }).request.path).toBe('');
  });

  test('are no field values, except what was asked to be kept', () => {
    const fields = [...CHAT_FIELDS, 'Authorization', 'Bearer sk-secret', 'X-Rubato-Keep', 'why not'];
    const record = recordOf((play) => finish(play.request({ model: 'm', user: 'jane' }).head(1).chunk(2, text('a'))), {
      fields,
    });
    expect(record.request.keep).toBe(true);
    for (const secret of ['sk-secret', 'why not', 'jane', '"a"']) expect(JSON.stringify(record)).not.toContain(secret);
    expect(recordOf((play) => play.end(1)).request.keep).toBeUndefined();
  });
});

test('a record survives JSON unchanged', () => {
  const record = recordOf((play) => finish(play.request({ model: 'm' }).connected(1).head(5).chunk(9, text('a'))), {
    trace: TRACE,
  });
  expect(JSON.parse(JSON.stringify(record))).toEqual(record);
});

test('wall time comes from the process’s own anchor, and from the relay’s stamp when the clocks fell apart', () => {
  // The stamp of hand-made entries lies far from this process's own clock: it counts as a step.
  expect(recordOf((play) => play.end(1), { epochMs: 1_796_000_000_000 }).openedAtEpochMs).toBe(1_796_000_000_000);
});
