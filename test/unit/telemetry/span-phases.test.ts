// Goal: the phases of the engine lie where its own word lets them lie, and an estimate has none. Method: a
// tracer that only notes what it is asked for.
import { ROOT_CONTEXT, type Span, type TimeInput, type Tracer } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { addPhases } from '../../../src/telemetry/span-details.ts';
import { ms } from '../../support/record-builder.ts';
import { reportOf, usualStream } from './reports.ts';

/** Name → from, to in ns. The first token is received at 100 ms, the last at 120 ms. */
function phasesOf(evidence: Evidence): Record<string, [TimeInput | undefined, TimeInput | undefined]> {
  const phases: Record<string, [TimeInput | undefined, TimeInput | undefined]> = {};
  const startSpan: Tracer['startSpan'] = (name, options) => {
    const end = (to?: TimeInput): void => void (phases[name] = [options?.startTime, to]);
    return { end } as unknown as Span;
  };
  const tracer = { startSpan } as Tracer;
  const report = reportOf({ ...usualStream(2), evidence: [evidence] });
  addPhases({ tracer, parent: ROOT_CONTEXT, timeOf: (atNs) => [0, atNs] }, report);
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
