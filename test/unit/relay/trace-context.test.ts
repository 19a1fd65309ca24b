// Goal: one step of a trace by the W3C rules: what counts as a parent, which ids are ours, what goes on.
// Method: headers of the specification and near misses; random ids against OpenTelemetry's own sampler.
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SamplerSettings } from '../../../src/relay/settings.ts';
import { parseTraceparent, stepTrace } from '../../../src/relay/trace-context.ts';
import { fuzz } from '../../support/fuzz.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const VALID = `00-${TRACE}-${SPAN}-01`;
const ALWAYS: SamplerSettings = { root: 'always_on', ratio: 1, parentBased: true };
const NEVER: SamplerSettings = { root: 'always_off', ratio: 1, parentBased: true };

/** The `traceparent` that goes on, in its four parts. */
function sentParts(fields: readonly string[]): string[] {
  const index = fields.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'traceparent');
  return (fields[index + 1] as string).split('-');
}

describe('a traceparent', () => {
  test('of version 00 has trace, span and flags', () => {
    expect(parseTraceparent(VALID)).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1 });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)?.flags).toBe(0xfe);
  });

  test.each([
    ['of a later version', `01-${TRACE}-${SPAN}-01`],
    ['of a later version with more behind it', `cc-${TRACE}-${SPAN}-01-what-the-future-holds`],
    ['of a later version with an empty part behind it', `fe-${TRACE}-${SPAN}-01-`],
  ])('%s is read as far as we understand it', (_, value) => {
    expect(parseTraceparent(value)).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1 });
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more behind it', `${VALID}-x`],
    ['version 00 with a dash behind it', `${VALID}-`],
    ['a later version with letters behind it', `01-${TRACE}-${SPAN}-01x`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case in the trace', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['upper case in the span', `00-${TRACE}-${SPAN.toUpperCase()}-01`],
    ['upper case in the flags', `00-${TRACE}-${SPAN}-0A`],
    ['a trace one digit short', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a trace one digit long', `00-0${TRACE}-${SPAN}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['a letter that is no digit', `00-${TRACE.slice(1)}g-${SPAN}-01`],
    ['one digit of version', `0-${TRACE}-${SPAN}-01`],
    ['a space inside', `00-${TRACE} -${SPAN}-01`],
    ['a line end', `${VALID}\n`],
  ])('is none: %s', (_, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});

describe('a step with a parent', () => {
  test('keeps the trace and puts our span in place, name and position kept', () => {
    const { ids, fields } = stepTrace(['Host', 'a', 'TraceParent', VALID, 'Accept', '*'], ALWAYS);
    expect(ids).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, sampled: true });
    expect(fields).toEqual(['Host', 'a', 'TraceParent', `00-${TRACE}-${ids.clientSpanId}-01`, 'Accept', '*']);
    expect(new Set([SPAN, ids.serverSpanId, ids.clientSpanId]).size).toBe(3);
    for (const id of [ids.serverSpanId, ids.clientSpanId]) expect(id).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
  });

  test('goes on as version 00 with the flags that we know', () => {
    expect(sentParts(stepTrace(['traceparent', `cc-${TRACE}-${SPAN}-ff-more`], ALWAYS).fields)).toMatchObject([
      '00',
      TRACE,
      {},
      '03',
    ]);
    expect(sentParts(stepTrace(['traceparent', `00-${TRACE}-${SPAN}-fc`], ALWAYS).fields)[3]).toBe('00');
    expect(sentParts(stepTrace(['traceparent', `00-${TRACE}-${SPAN}-02`], ALWAYS).fields)[3]).toBe('02');
  });

  test('keeps every tracestate as it is', () => {
    const fields = ['tracestate', 'a=1', 'traceparent', VALID, 'TraceState', 'b=2', 'tracestate', ''];
    const sent = stepTrace(fields, ALWAYS).fields;
    expect(sent.filter((_, index) => index !== 3)).toEqual(fields.filter((_, index) => index !== 3));
  });

  test('takes space around the value for no part of it', () => {
    expect(stepTrace(['traceparent', ` ${VALID}\t`], ALWAYS).ids.parentSpanId).toBe(SPAN);
  });
});

describe('a step without a parent', () => {
  test('begins a trace at random and puts it last', () => {
    const first = stepTrace(['Host', 'a'], ALWAYS);
    const second = stepTrace(['Host', 'a'], ALWAYS);
    expect(first.ids.parentSpanId).toBeUndefined();
    expect(first.ids.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(first.ids.traceId).not.toBe(second.ids.traceId);
    expect(first.fields).toEqual(['Host', 'a', 'traceparent', `00-${first.ids.traceId}-${first.ids.clientSpanId}-03`]);
  });

  test.each([
    ['malformed', ['traceparent', 'x']],
    ['sent twice', ['traceparent', VALID, 'Traceparent', VALID]],
    [
      'sent twice in a later version',
      ['traceparent', `01-${TRACE}-${SPAN}-01-x`, 'traceparent', `01-${TRACE}-${SPAN}-01`],
    ],
    ['absent', []],
  ])('drops tracestate, since its parent is %s, and sends one traceparent', (_, fields) => {
    const { ids, fields: sent } = stepTrace([...fields, 'tracestate', 'a=1', 'TraceState', 'b=2', 'x', 'y'], ALWAYS);
    expect(ids.parentSpanId).toBeUndefined();
    expect(ids.traceId).not.toBe(TRACE);
    const names = sent.filter((_name, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names.toSorted()).toEqual(['traceparent', 'x']);
  });

  test('never repeats an id, also across the refills of its pool', () => {
    const ids = Array.from({ length: 2_000 }, () => stepTrace([], ALWAYS).ids);
    expect(new Set(ids.map(({ traceId }) => traceId)).size).toBe(2_000);
    expect(new Set(ids.flatMap(({ serverSpanId, clientSpanId }) => [serverSpanId, clientSpanId])).size).toBe(4_000);
  });
});

describe('sampling', () => {
  const sampledParent = ['traceparent', VALID];
  const unsampledParent = ['traceparent', `00-${TRACE}-${SPAN}-00`];
  const half: SamplerSettings = { root: 'traceidratio', ratio: 0.5, parentBased: true };
  const none: SamplerSettings = { root: 'traceidratio', ratio: 0, parentBased: true };
  const all: SamplerSettings = { root: 'traceidratio', ratio: 1, parentBased: true };

  test.each<[string, SamplerSettings, readonly string[], boolean]>([
    ['on, no parent', ALWAYS, [], true],
    ['on, parent sampled', ALWAYS, sampledParent, true],
    ['on, parent not sampled', ALWAYS, unsampledParent, false],
    ['off, no parent', NEVER, [], false],
    ['off, parent sampled', NEVER, sampledParent, true],
    ['off, parent not sampled', NEVER, unsampledParent, false],
    ['none of the ratio, no parent', none, [], false],
    ['none of the ratio, parent sampled', none, sampledParent, true],
    ['all of the ratio, no parent', all, [], true],
    ['all of the ratio, parent not sampled', all, unsampledParent, false],
    ['on for itself, parent not sampled', { ...ALWAYS, parentBased: false }, unsampledParent, true],
    ['off for itself, parent sampled', { ...NEVER, parentBased: false }, sampledParent, false],
    ['none of the ratio for itself, parent sampled', { ...none, parentBased: false }, sampledParent, false],
    ['all of the ratio for itself, parent not sampled', { ...all, parentBased: false }, unsampledParent, true],
  ])('%s', (_, sampler, fields, sampled) => {
    const step = stepTrace(fields, sampler);
    expect(step.ids.sampled).toBe(sampled);
    // An engine is told our own decision.
    expect(Number.parseInt(sentParts(step.fields)[3] as string, 16) & 1).toBe(sampled ? 1 : 0);
  });

  test('by ratio of a trace that begins here takes some and leaves some', () => {
    const sampledCount = Array.from({ length: 400 }, () => stepTrace([], half)).filter(({ ids }) => ids.sampled).length;
    expect(sampledCount).toBeGreaterThan(0);
    expect(sampledCount).toBeLessThan(400);
  });

  test('by ratio decides as OpenTelemetry’s own sampler does', () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
    // Ids whose four words cancel out or add up lie at the ends of the range.
    const edge = fc.constantFrom(
      'f'.repeat(8) + '0'.repeat(24),
      '1'.repeat(32),
      '0'.repeat(31) + '1',
      '80000000'.padEnd(32, '0'),
      '7fffffff'.padEnd(32, '0'),
    );
    const ratio = fc.oneof(fc.constantFrom(0, 1, 0.5, 1e-9, 1 - 1e-12), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.oneof(hex, edge), ratio, (traceId, share) => {
        fc.pre(/[1-9a-f]/.test(traceId));
        const theirs = new TraceIdRatioBasedSampler(share);
        const decision = theirs.shouldSample(ROOT_CONTEXT, traceId).decision;
        const ours = stepTrace(['traceparent', `00-${traceId}-${SPAN}-00`], {
          root: 'traceidratio',
          ratio: share,
          parentBased: false,
        });
        expect(ours.ids.sampled).toBe(decision === SamplingDecision.RECORD_AND_SAMPLED);
      }),
      fuzz(3_000),
    );
  });
});
