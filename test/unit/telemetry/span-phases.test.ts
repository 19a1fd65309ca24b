// Goal: the phases of the engine lie where its own word lets them lie, and an estimate has none; and no child of the
// CLIENT span outlives it. Method: a maker of spans that only notes what it is asked for.
import type { HrTime } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { addChunks, addPhases, type SpanScope } from '../../../src/telemetry/span-details.ts';
import { ms, read, texts } from '../../support/record-builder.ts';
import { reportOf, TRACE, usualStream } from './reports.ts';

/** Name of a span → from, to in ns. */
type Noted = Record<string, [HrTime, HrTime]>;

function noting(noted: Noted): SpanScope {
  const parent = { traceId: TRACE.traceId, spanId: TRACE.clientSpanId, traceFlags: 1 };
  const maker: SpanScope['maker'] = {
    startChild: ({ name, startTime }) => ({
      context: parent,
      addEvent: () => expect.unreachable('neither phases nor arrays of chunks have events'),
      fail: () => expect.unreachable('neither phases nor chunks fail'),
      end: (to) => void (noted[name] = [startTime, to]),
    }),
  };
  return { maker, parent, timeOf: (atNs) => [0, atNs] };
}

/** The first token is received at 100 ms, the last at 120 ms. */
function phasesOf(evidence: Evidence): Noted {
  const phases: Noted = {};
  addPhases(noting(phases), reportOf({ ...usualStream(2), evidence: [evidence] }));
  return phases;
}

describe('phases', () => {
  it('follow each other from the moment the request was sent', () => {
    expect(phasesOf({ source: 'x', basis: 'exact', queueNs: ms(30), prefillNs: ms(60) })).toEqual({
      queue: [
        [0, 0],
        [0, ms(30)],
      ],
      prefill: [
        [0, ms(30)],
        [0, ms(90)],
      ],
      decode: [
        [0, ms(100)],
        [0, ms(120)],
      ],
    });
  });

  it('end with the first token received where the queue is not known', () => {
    expect(phasesOf({ source: 'x', basis: 'exact', prefillNs: ms(60) })).toEqual({
      prefill: [
        [0, ms(40)],
        [0, ms(100)],
      ],
      decode: [
        [0, ms(100)],
        [0, ms(120)],
      ],
    });
  });

  it('have no prefill where only the queue is known', () => {
    expect(Object.keys(phasesOf({ source: 'x', basis: 'exact', queueNs: ms(30) }))).toEqual(['queue', 'decode']);
  });

  it('are none of an estimate, nor of what contradicts our clock', () => {
    expect(phasesOf({ source: 'x', basis: 'model', queueNs: ms(30), prefillNs: ms(60), errorNs: 5 })).toEqual({});
    expect(phasesOf({ source: 'x', basis: 'exact', queueNs: ms(300), prefillNs: ms(60) })).toEqual({});
  });
});

it('the chunks last from the first to the last received, however late that one is flushed', () => {
  const noted: Noted = {};
  const reads = [...texts(100, 20, 40), read(900, 'finish done', { flushAfterNs: ms(50) })];
  const report = reportOf({ reads });
  addChunks(noting(noted), report, { form: 'arrays', startAtNs: 0 });
  expect(noted).toEqual({
    'rubato.chunks': [
      [0, ms(100)],
      [0, ms(900)],
    ],
  });
  // The CLIENT span ends there too.
  expect(report.record.marks.upstreamEndAtNs).toBe(ms(900));
});
