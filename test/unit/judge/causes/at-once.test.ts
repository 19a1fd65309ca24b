// Goal: what comes at once after a silence is put down to the network, to a hop, or to nobody, by what the rest of the
// stream and the other streams show. Method: contexts made by hand, one difference at a time.
import { describe, expect, test } from 'vitest';
import { judgeStall, needsWholeStream } from '../../../../src/judge/causes/judge-stall.ts';
import type { DeliveryVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { BURST, causeOf, engine, ms, msOf, OTHERS_GO_ON, stallContext, type Changes } from './contexts.ts';

const delivery = (word: DeliveryVerdict['word']): DeliveryVerdict => ({
  word,
  confidence: 0.9,
  signs: ['bursts_at_an_interval'],
  numbers: {},
});

describe('what comes at once', () => {
  const lost: Changes = { stream: BURST, company: OTHERS_GO_ON };

  test('waits for the whole stream, as bunches do', () => {
    expect(needsWholeStream(stallContext(lost))).toBe(true);
    expect(needsWholeStream(stallContext())).toBe(false);
  });

  test('is the network where others go on, more surely at the length of a retransmission', () => {
    expect(judgeStall(stallContext(lost))).toMatchObject({ cause: 'network', confidence: 0.85 });
    expect(judgeStall(stallContext({ ...lost, gapMs: 330, stream: { eventsFromEnd: [16, 1, 1] } }))).toMatchObject({
      cause: 'network',
      confidence: 0.75,
    });
  });

  test('is nobody knows what where others come back together with it', () => {
    expect(causeOf({ stream: BURST })).toBe('unknown');
    // Who comes back at another moment, or with all that was missed, was held up on its own.
    expect(causeOf({ stream: BURST, company: { resumedTogetherCount: 0 } })).toBe('network');
    expect(causeOf({ stream: BURST, company: { burstCount: 2 } })).toBe('network');
  });

  test('is a hop where the whole stream shows that it holds, and then not the network', () => {
    const context = stallContext(lost);
    expect(judgeStall(context, { delivery: delivery('holds') })).toMatchObject({ cause: 'buffering', confidence: 0.9 });
    expect(judgeStall(context, { delivery: delivery('passes') }).cause).toBe('network');
  });

  test('as a habit is a hop where streams before were held, or each has a beat of its own', () => {
    const held = { readCount: 20, eventCount: 180, severalCount: 20, passNs: ms(200), usualNs: ms(200) };
    const stream = { ...held, eventsFromEnd: [9, 9, 9, 9], gapsAfterNs: msOf(200, 200, 200) };
    const before = { context: { deliveries: { heldCount: 3, passedCount: 0 } } };
    expect(causeOf({ stream, ...before })).toBe('buffering');
    expect(causeOf({ stream })).toBe('unknown');
    expect(causeOf({ stream, company: { inStepRatio: 0 } })).toBe('buffering');
    // With nine choices a step has nine events.
    expect(causeOf({ stream: { ...stream, choiceCount: 9 }, ...before })).not.toBe('buffering');
  });
});

describe('a stream without company', () => {
  const company = { ...OTHERS_GO_ON, streamCount: 0, wentOnCount: 0 };

  test('has lost packets where all else of it came one by one', () => {
    const verdict = judgeStall(stallContext({ stream: BURST, company }));
    expect(verdict).toMatchObject({
      cause: 'network',
      confidence: 0.75,
      signs: expect.arrayContaining(['passes_otherwise']),
    });
    expect(judgeStall(stallContext({ gapMs: 330, stream: { eventsFromEnd: [16, 1, 1] }, company })).confidence).toBe(
      0.65,
    );
  });

  test('may be held by a hop where it often came several at a time', () => {
    const several = (severalCount: number): string =>
      causeOf({ stream: { ...BURST, readCount: 50, eventCount: 70, severalCount }, company });
    expect(several(10)).toBe('network');
    expect(several(11)).toBe('unknown');
  });

  test('that has hardly begun goes by the streams before it', () => {
    const judged = (heldCount: number, passedCount: number): string =>
      causeOf({
        stream: { ...BURST, readCount: 7, eventCount: 7 },
        company,
        context: { deliveries: { heldCount, passedCount } },
      });
    expect(judged(0, 1)).toBe('network');
    expect(judged(0, 0)).toBe('unknown');
    expect(judged(1, 3)).toBe('unknown');
  });
});

describe('what had been missed', () => {
  const company = { ...OTHERS_GO_ON, streamCount: 0, wentOnCount: 0 };

  // A loss that took far longer than the engine had left to write was taken for a pause of the engine.
  test('is no more than what was left of a stream that ended', () => {
    const few = { gapsAfterNs: msOf(20, 20), eventsFromEnd: [20, 1, 1] };
    expect(causeOf({ gapMs: 4_000, stream: { ...few, isEnd: true }, company })).toBe('network');
    expect(causeOf({ gapMs: 4_000, stream: few, company })).toBe('unknown');
    expect(causeOf({ gapMs: 4_000, stream: { ...few, eventsFromEnd: [2, 1, 1], isEnd: true }, company })).toBe(
      'unknown',
    );
  });

  // After a crowd had gone, steps as short as ever looked like a flood of what had been held.
  test('is not what the engine makes at its usual speed once there is less to do', () => {
    const grown = { runningAt: 40, plainStepNs: ms(190), passP50Ns: ms(190), usualP50Ns: ms(190) };
    const after = { gapsAfterNs: msOf(18, 18, 18, 18, 18, 18, 18, 18) };
    expect(needsWholeStream(stallContext({ gapMs: 600, stream: after, company: grown }))).toBe(false);
    expect(needsWholeStream(stallContext({ gapMs: 600, stream: { ...after, ...BURST }, company: grown }))).toBe(true);
  });

  test('is nothing in less than a step and a half', () => {
    const two = { usualNs: ms(100), passNs: ms(100), gapsAfterNs: msOf(100, 100, 100), eventsFromEnd: [2, 1, 1, 1] };
    const slow = { quietStepNs: ms(100), plainStepNs: ms(100), usualP50Ns: ms(100), passP50Ns: ms(100) };
    const waits = (gapMs: number): boolean => needsWholeStream(stallContext({ gapMs, stream: two, company: slow }));
    expect([waits(140), waits(160)]).toEqual([false, true]);
  });
});

test('a stream that had several in its first read and in each since comes in bunches', () => {
  const { usualNs: _, ...stream } = stallContext().stream;
  const company = { ...OTHERS_GO_ON, streamCount: 0, wentOnCount: 0, quietStepNs: ms(200), plainStepNs: ms(200) };
  const first = { ...stream, readCount: 1, gapsBeforeNs: [], gapsAfterNs: [] };
  const judged = (eventCount: number, severalCount: number, atEnd: number): string => {
    const context = stallContext({ company, context: { engine: engine() } });
    return judgeStall({ ...context, stream: { ...first, eventCount, severalCount, eventsFromEnd: [atEnd] } }).cause;
  };
  expect(judged(9, 1, 9)).toBe('buffering');
  expect(judged(1, 0, 9)).not.toBe('buffering');
  expect(judged(9, 1, 1)).not.toBe('buffering');
});

describe('several at a time, again and again', () => {
  const held: Changes = {
    gapMs: 305,
    stream: {
      usualNs: ms(20),
      readCount: 10,
      eventCount: 12,
      severalCount: 2,
      gapsAfterNs: msOf(150, 300, 150, 150, 300, 150),
      eventsFromEnd: [2, 1, 2, 1, 1, 2, 1],
    },
    company: { passP50Ns: ms(150), plainStepNs: ms(150), runningAt: 30 },
    context: { engine: engine() },
  };

  test('is a hop where each gap is as long as what came at its end took to make', () => {
    expect(judgeStall(stallContext(held))).toMatchObject({ cause: 'buffering', signs: ['again', 'in_proportion'] });
  });

  test('is known from one more read, if that has many', () => {
    const young = { readCount: 1, eventCount: 9, severalCount: 1, gapsBeforeNs: [], gapsAfterNs: msOf(150) };
    const judged = (after: number): string =>
      causeOf({ ...held, stream: { ...held.stream, ...young, eventsFromEnd: [2 * after, after] } });
    expect([judged(8), judged(7)]).toEqual(['buffering', 'unknown']);
  });

  test.each<[string, Changes]>([
    ['the gap is far longer than that', { ...held, gapMs: 900 }],
    ['one event came', { ...held, stream: { ...held.stream, eventsFromEnd: [1, 1, 2, 1, 1, 2, 1] } }],
    [
      'it was the first time',
      { ...held, stream: { ...held.stream, severalCount: 0, eventsFromEnd: [2, 1, 1, 1, 1, 1, 1] } },
    ],
    ['nobody looks at the engine', { ...held, context: {} }],
    ['the engine guesses ahead', { ...held, context: { engine: engine({ draftAcceptedRatio: 0.7 }) } }],
  ])('is not where %s', (_, changes) => {
    expect(causeOf(changes)).not.toBe('buffering');
  });
});
