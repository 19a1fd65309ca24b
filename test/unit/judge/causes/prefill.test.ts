// Goal: a stall is put down to a prompt where its first token, or its turn, and its cost account for it, and not at near
// misses. Method: contexts made by hand, one difference at a time.
import { describe, expect, test } from 'vitest';
import { judgeStall } from '../../../../src/judge/causes/judge-stall.ts';
import type { StallArrival } from '../../../../src/record/stall-context.ts';
import { arrival, causeOf, engine, ms, msOf, OTHERS_GO_ON, stallContext } from './contexts.ts';

describe('prefill interference', () => {
  test('is a prompt whose cost and first token account for the gap', () => {
    const verdict = judgeStall(stallContext({ context: { arrivals: [arrival()] } }));
    expect(verdict).toMatchObject({ cause: 'prefill_interference', confidence: 0.95 });
    expect(verdict.signs).toEqual(['first_token', 'cost', 'others_paused']);
    expect(verdict.numbers).toMatchObject({ excessMs: 180, explainedMs: 180, costMs: 180, promptBytes: 9_000 });
  });

  test.each<[string, StallArrival]>([
    ['cost a third of it', arrival({ costNs: ms(50) })],
    ['got its first token before the gap', arrival({ sentAtNs: ms(4_700), firstTokenAtNs: ms(4_999) })],
    ['was sent when the gap was nearly over', arrival({ sentAtNs: ms(5_150) })],
    ['waited in a queue, and was read long after', arrival({ firstTokenAtNs: ms(5_900) })],
  ])('is not a prompt that %s', (_, other) => {
    expect(causeOf({ context: { arrivals: [other] } })).not.toBe('prefill_interference');
  });

  test('is not where others go on', () => {
    expect(causeOf({ company: OTHERS_GO_ON, context: { arrivals: [arrival()] } })).toBe('unknown');
  });

  // On a real vLLM with too small a cache two were thrown out: the one's work done again could have been the other's
  // pause, but for a third that read on until its end.
  test('is not where one of two others read on until its end, and then preemption is not in doubt', () => {
    const company = { streamCount: 1, pausedCount: 1, resumedTogetherCount: 1, endedWithinCount: 1 };
    const context = {
      arrivals: [arrival({ resumedAfterNs: ms(2_000) })],
      engine: engine({ preemptedCount: 2, runningBefore: 3, runningAfter: 2 }),
    };
    expect(causeOf({ company, context })).toBe('preemption');
    expect(causeOf({ company: { ...company, endedWithinCount: 0 }, context })).toBe('prefill_interference');
  });

  test('is not a prompt whose cost was felt right after the gap', () => {
    const arrivals = [arrival({ firstTokenAtNs: ms(5_400) })];
    expect(causeOf({ stream: { gapsAfterNs: msOf(200, 20, 20, 20) }, context: { arrivals } })).not.toBe(
      'prefill_interference',
    );
  });

  test('is work done again for a stream that had been thrown out, unless the engine threw nobody out', () => {
    const arrivals = [arrival({ resumedAfterNs: ms(2_000) })];
    expect(judgeStall(stallContext({ context: { arrivals } })).signs).toContain('recompute');
    expect(causeOf({ context: { arrivals, engine: engine() } })).toBe('host');
  });

  test('is a request without a stream that was sent as the gap began and costs as much', () => {
    const { firstTokenAtNs: _, ...silent } = arrival();
    expect(judgeStall(stallContext({ context: { arrivals: [silent] } }))).toMatchObject({
      cause: 'prefill_interference',
      confidence: 0.7,
    });
  });
});

describe('a prompt whose first token has not come', () => {
  // It costs two seconds, over many steps, of which the gap is one.
  const { firstTokenAtNs: _, ...unread } = arrival({ sentAtNs: ms(1_000), costNs: ms(2_000) });
  const inTurn = { ...unread, firstInLineAtNs: ms(4_500) };

  test('is read in its turn for as long as it costs', () => {
    const verdict = judgeStall(stallContext({ context: { arrivals: [inTurn] } }));
    expect(verdict).toMatchObject({ cause: 'prefill_interference', signs: ['in_turn', 'cost', 'others_paused'] });
    expect(verdict.numbers).toMatchObject({ excessMs: 180, explainedMs: 180 });
  });

  test.each<[string, StallArrival]>([
    ['another was before it', unread],
    ['its turn came after the gap', { ...unread, firstInLineAtNs: ms(5_200) }],
    ['its turn came so long before that it has been read', { ...unread, firstInLineAtNs: ms(1_900) }],
    ['it costs far less than the gap', { ...inTurn, costNs: ms(30), firstInLineAtNs: ms(4_990) }],
  ])('is not the cause where %s', (_name, other) => {
    expect(causeOf({ context: { arrivals: [other] } })).not.toBe('prefill_interference');
  });

  test('makes no level of the steps around, however many are in the batch', () => {
    const slow = msOf(200, 200, 200, 200);
    const company = { runningAt: 30, passP50Ns: ms(200) };
    const stream = { gapsBeforeNs: slow, gapsAfterNs: slow };
    expect(causeOf({ stream, company })).toBe('growth');
    expect(causeOf({ stream, company, context: { arrivals: [inTurn] } })).toBe('prefill_interference');
  });
});

describe('a prompt whose cost is not known yet', () => {
  const { costNs: _, ...uncosted } = arrival({ sentAtNs: ms(4_000), firstTokenAtNs: ms(9_000) });
  const alone = { streamCount: 0, pausedCount: 0, resumedTogetherCount: 0 };
  const again = { gapsBeforeNs: msOf(20, 20, 190), gapsAfterNs: msOf(205, 195, 210) };

  test('is read where steps are far longer than plain ones again and again while it is under way', () => {
    const verdict = judgeStall(stallContext({ stream: again, company: alone, context: { arrivals: [uncosted] } }));
    expect(verdict).toMatchObject({ cause: 'prefill_interference', confidence: 0.65, signs: ['again_while_read'] });
  });

  test('is read up to its first token, be it once', () => {
    const arrivals = [{ ...uncosted, firstTokenAtNs: ms(5_203) }];
    expect(judgeStall(stallContext({ company: alone, context: { arrivals } })).signs).toEqual(['up_to_first_token']);
  });

  test.each<[string, Partial<StallArrival>, readonly number[]]>([
    ['it was sent after the gap began', { sentAtNs: ms(5_010) }, [205, 195]],
    ['its first token came in the middle of the gap', { firstTokenAtNs: ms(5_100) }, [205, 195]],
    ['steps are as ever before and after', {}, [20, 20]],
  ])('is not the cause where %s', (_name, changes, afterMs) => {
    const stream = { gapsBeforeNs: msOf(20, 20), gapsAfterNs: msOf(...afterMs) };
    const arrivals = [{ ...uncosted, ...changes }];
    expect(causeOf({ stream, company: alone, context: { arrivals } })).not.toBe('prefill_interference');
  });

  test('is not the cause where plain steps are not known, or a third of the gap', () => {
    const { quietStepNs: _quiet, ...company } = { ...stallContext().company, ...alone };
    const context = stallContext({ stream: again, context: { arrivals: [uncosted] } });
    expect(judgeStall({ ...context, company }).cause).toBe('unknown');
    expect(judgeStall({ ...context, company: { ...company, quietStepNs: ms(68) } }).cause).toBe('unknown');
    expect(judgeStall({ ...context, company: { ...company, quietStepNs: ms(66) } }).cause).toBe('prefill_interference');
  });
});
