// Goal: the engine's window is split without remainder, and evidence that does not fit is dropped.
// Method: deficits at and 1 ns beside each limit of the rounding rule, then random claims.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claim, NO_CLAIM, splitWindow, strongestClaim } from '../../../src/measure/engine-window.ts';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { ms } from '../../support/record-builder.ts';
import { fuzz } from '../../support/fuzz.ts';

function exact(queueNs: number | undefined, prefillNs: number | undefined): Claim {
  return { basis: 'exact', queueNs, prefillNs };
}

const fits = { rounded: false, contradicted: false };

describe('what to believe', () => {
  const model: Evidence = { source: 'model', basis: 'model', queueNs: 1, prefillNs: 2, errorNs: 1 };
  const queueOnly: Evidence = { source: 'log', basis: 'exact', queueNs: 10 };

  test('nothing without evidence', () => {
    expect(strongestClaim([])).toEqual(NO_CLAIM);
    expect(strongestClaim([{ source: 'log', basis: 'exact' }])).toEqual(NO_CLAIM);
  });

  test('exact outranks model and is not completed by it', () => {
    expect(strongestClaim([model, queueOnly])).toEqual(exact(10, undefined));
  });

  test('exact statements of two sources complete each other, the first one counts', () => {
    const prefill: Evidence = { source: 'trace', basis: 'exact', queueNs: 99, prefillNs: 20 };
    expect(strongestClaim([queueOnly, prefill])).toEqual(exact(10, 20));
  });

  test('a model is used when nothing exact was said', () => {
    expect(strongestClaim([{ source: 'log', basis: 'exact' }, model])).toEqual({
      basis: 'model',
      queueNs: 1,
      prefillNs: 2,
    });
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('%d is no length', (queueNs) => {
    expect(strongestClaim([{ source: 'log', basis: 'exact', queueNs }])).toEqual(NO_CLAIM);
  });

  test('0 is a length', () => {
    expect(strongestClaim([{ source: 'log', basis: 'exact', queueNs: 0 }])).toEqual(exact(0, undefined));
  });
});

describe('the rest of the window', () => {
  test('is the part engine without evidence', () => {
    expect(splitWindow(100, undefined, NO_CLAIM, 1_000)).toEqual({ basis: 'none', engineNs: 100, ...fits });
    expect(splitWindow(100, 30, NO_CLAIM, 1_000)).toEqual({ basis: 'none', wireNs: 30, engineNs: 70, ...fits });
  });

  test('is still engine when only queue or only prefill is known', () => {
    expect(splitWindow(100, 10, exact(20, undefined), 1_000)).toEqual({
      basis: 'exact',
      wireNs: 10,
      queueNs: 20,
      engineNs: 70,
      ...fits,
    });
    expect(splitWindow(100, undefined, exact(undefined, 60), 1_000)).toEqual({
      basis: 'exact',
      prefillNs: 60,
      engineNs: 40,
      ...fits,
    });
  });

  test('is other when both are known, also when it is 0', () => {
    expect(splitWindow(100, 10, exact(20, 60), 1_000)).toEqual({
      basis: 'exact',
      wireNs: 10,
      queueNs: 20,
      prefillNs: 60,
      otherNs: 10,
      ...fits,
    });
    expect(splitWindow(90, 10, exact(20, 60), 1_000).otherNs).toBe(0);
  });
});

describe('a remainder below 0', () => {
  test('is rounding while it is above −2 ms, taken from the wire first', () => {
    const windowNs = ms(100);
    const claim = exact(ms(10), ms(89));
    expect(splitWindow(windowNs, ms(3) - 1, claim, ms(100))).toEqual({
      basis: 'exact',
      wireNs: ms(1),
      queueNs: ms(10),
      prefillNs: ms(89),
      otherNs: 0,
      rounded: true,
      contradicted: false,
    });
  });

  test('contradicts us from −2 ms on: queue and prefill are dropped, the wire stays', () => {
    expect(splitWindow(ms(100), ms(3), exact(ms(10), ms(89)), ms(100))).toEqual({
      basis: 'none',
      wireNs: ms(3),
      engineNs: ms(97),
      rounded: false,
      contradicted: true,
    });
  });

  test('is rounding while it is above −1 % of TTFT when that is more', () => {
    const ttftNs = ms(1_000);
    expect(splitWindow(ms(990), undefined, exact(ms(500), ms(500) - 1), ttftNs).rounded).toBe(true);
    expect(splitWindow(ms(990), undefined, exact(ms(500), ms(500)), ttftNs).contradicted).toBe(true);
  });

  test('is taken from the queue when the wire does not suffice, then from prefill', () => {
    const rounded = { basis: 'exact', otherNs: 0, rounded: true, contradicted: false };
    expect(splitWindow(ms(10), 100, exact(500, ms(10)), ms(10))).toEqual({
      ...rounded,
      wireNs: 0,
      queueNs: 0,
      prefillNs: ms(10),
    });
    expect(splitWindow(ms(10), 100, exact(500, ms(10) + 7), ms(10))).toEqual({
      ...rounded,
      wireNs: 0,
      queueNs: 0,
      prefillNs: ms(10),
    });
    expect(splitWindow(ms(10), undefined, exact(undefined, ms(10) + 7), ms(10))).toEqual({
      basis: 'exact',
      prefillNs: ms(10),
      engineNs: 0,
      rounded: true,
      contradicted: false,
    });
  });

  test('without evidence only the wire can yield', () => {
    expect(splitWindow(ms(1), ms(2), NO_CLAIM, ms(5))).toEqual({
      basis: 'none',
      wireNs: ms(1),
      engineNs: 0,
      rounded: true,
      contradicted: false,
    });
    expect(splitWindow(ms(1), ms(9), NO_CLAIM, ms(5))).toEqual({
      basis: 'none',
      wireNs: ms(1),
      engineNs: 0,
      rounded: false,
      contradicted: true,
    });
  });

  test('without a wire the whole window is the engine when evidence contradicts us', () => {
    expect(splitWindow(ms(1), undefined, exact(ms(50), undefined), ms(5))).toEqual({
      basis: 'none',
      engineNs: ms(1),
      rounded: false,
      contradicted: true,
    });
  });
});

test('the parts sum to the window and none is negative, whatever is claimed', () => {
  const lengthNs = fc.option(fc.integer({ min: 0, max: ms(20) }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: ms(20) }),
      lengthNs,
      lengthNs,
      lengthNs,
      (windowNs, wireNs, queueNs, prefillNs) => {
        const split = splitWindow(windowNs, wireNs, exact(queueNs, prefillNs), windowNs + 5);
        const { otherNs, engineNs } = split;
        const parts = [split.wireNs, split.queueNs, split.prefillNs, otherNs, engineNs].filter(
          (part) => part !== undefined,
        );
        expect(parts.reduce((sumNs, partNs) => sumNs + partNs, 0)).toBe(windowNs);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect((otherNs === undefined) !== (engineNs === undefined)).toBe(true);
        expect(split.wireNs === undefined).toBe(wireNs === undefined);
      },
    ),
    fuzz(100),
  );
});
