// Goal: each rule names its cause where the evidence is there, and stays silent at near misses: a wrong cause is worse
// than none. Method: contexts made by hand, one difference at a time.
import { describe, expect, test } from 'vitest';
import { judgeStall } from '../../../../src/judge/causes/judge-stall.ts';
import { arrival, BURST, causeOf, engine, ms, msOf, OTHERS_GO_ON, stallContext, type Changes } from './contexts.ts';

describe('host', () => {
  test('is all at once, with nobody arriving, one step each', () => {
    expect(judgeStall(stallContext())).toMatchObject({
      cause: 'host',
      confidence: 0.85,
      signs: ['all_paused', 'together', 'no_arrival'],
    });
  });

  test.each<[string, Changes]>([
    ['one of the others goes on', { company: { pausedCount: 1, wentOnCount: 1, resumedTogetherCount: 1 } }],
    ['the others come back at other times', { company: { resumedTogetherCount: 0 } }],
    ['another gets all that it missed', { company: { burstCount: 1 } }],
    ['the engine runs more than came through here', { context: { engine: engine({ runningAfter: 9 }) } }],
    ['nobody keeps it company and the engine is not looked at', { company: { streamCount: 0, pausedCount: 0 } }],
  ])('is not where %s', (_, changes) => {
    expect(causeOf(changes)).toBe('unknown');
  });

  test('is a lone stream where the engine says that it ran nothing else', () => {
    const company = { streamCount: 0, pausedCount: 0, resumedTogetherCount: 0 };
    const looked = engine({ runningBefore: 1, runningAfter: 1, presentCount: 1 });
    expect(causeOf({ company, context: { engine: looked } })).toBe('host');
  });
});

describe('preemption', () => {
  const company = { ...OTHERS_GO_ON };

  test('is one stream alone while the engine counts it', () => {
    const changes = { company, context: { engine: engine({ preemptedCount: 1 }) } };
    expect(judgeStall(stallContext(changes))).toMatchObject({ cause: 'preemption', confidence: 0.9 });
  });

  test('is one stream alone whose work was done again, where nobody looks at the engine', () => {
    expect(causeOf({ company: { ...company, wentOnLastGapP50Ns: ms(60) } })).toBe('preemption');
    expect(causeOf({ company })).toBe('unknown');
  });

  // Over real sockets vLLM let a stream go on when the only other one ended, and the engine's process was blamed.
  test('is told where the one that made room ended, and nobody is left to compare with', () => {
    const alone = { streamCount: 0, pausedCount: 0, wentOnCount: 0, resumedTogetherCount: 0, endedWithinCount: 1 };
    const after = { ...engine({ preemptedCount: 1 }), runningAfter: 1, presentCount: 2 };
    expect(judgeStall(stallContext({ company: alone, context: { engine: after } }))).toMatchObject({
      cause: 'preemption',
      signs: ['preempted', 'others_ended'],
    });
    const uncounted = { ...after, preemptedCount: 0 };
    expect(causeOf({ company: alone, context: { engine: uncounted } })).toBe('unknown');
  });

  test.each<[string, Changes]>([
    ['the engine counts none', { company, context: { engine: engine() } }],
    ['what was missed comes at once', { company, stream: BURST, context: { engine: engine({ preemptedCount: 1 }) } }],
    ['the others pause as well', { context: { engine: engine({ preemptedCount: 1 }) } }],
  ])('is not where %s', (_, changes) => {
    expect(causeOf(changes)).not.toBe('preemption');
  });
});

describe('growth', () => {
  const grown: Changes = {
    stream: { gapsAfterNs: msOf(190, 195, 205, 200, 198) },
    company: { runningBefore: 3, runningAt: 40, plainStepNs: ms(190), usualP50Ns: ms(190), passP50Ns: ms(190) },
  };

  test('is a step that stays as long, with so many more in the batch', () => {
    expect(judgeStall(stallContext(grown))).toMatchObject({ cause: 'growth', signs: ['stays', 'grew'] });
  });

  test('is not a level that the batch cannot have made', () => {
    const { quietStepNs: _, plainStepNs: __, ...company } = stallContext(grown).company;
    const context = { ...stallContext(grown), company: { ...company, runningAt: 4 } };
    expect(judgeStall(context).cause).not.toBe('growth');
  });

  // A stream that began with a prompt of a hundred bytes had a thousand times as much around it later.
  test('is not by contexts that are short beside what a step reads anyway', () => {
    const few = { ...grown.company, runningAt: 4, contextBeforeBytes: 100, contextAtBytes: 16_000 };
    const { plainStepNs: _, ...company } = { ...stallContext().company, ...few };
    const short = { ...stallContext(grown), company };
    expect(judgeStall(short).cause).not.toBe('growth');
    expect(judgeStall({ ...short, company: { ...company, contextAtBytes: 320_000 } }).cause).toBe('growth');
  });

  // Where steps were known under load only, the load's doing was called usual.
  test('is not usual because steps were never seen with few streams', () => {
    const { usualNs: _, ...stream } = stallContext(grown).stream;
    const young = { ...stallContext(grown), stream };
    const slow = { ...young.company, quietStepNs: ms(120) };
    expect(judgeStall({ ...young, company: { ...slow, quietRunning: 8 } }).signs).toEqual(['usual_here']);
    expect(judgeStall({ ...young, company: { ...slow, quietRunning: 9 } }).signs).not.toEqual(['usual_here']);
  });

  test('is not what others are used to where this stream goes on far faster', () => {
    const { plainStepNs: _, ...company } = stallContext(grown).company;
    const after = (...gapsMs: number[]): string =>
      judgeStall({ ...stallContext({ ...grown, stream: { gapsAfterNs: msOf(...gapsMs) } }), company }).cause;
    expect(after(100, 100, 100, 100)).toBe('growth');
    expect(after(90, 90, 90, 90)).not.toBe('growth');
  });

  test('is not one step after which all is as before', () => {
    expect(causeOf({ company: { runningAt: 40 } })).toBe('host');
  });

  test('of a stream that has hardly begun is held against steps with few streams', () => {
    const { usualNs: _, ...stream } = stallContext(grown).stream;
    const context = { ...stallContext(grown), stream: { ...stream, readCount: 2, gapsBeforeNs: msOf(195) } };
    expect(judgeStall(context).cause).toBe('growth');
  });
});

describe('speculation', () => {
  const passes: Changes = {
    stream: {
      usualNs: ms(1),
      passNs: ms(195),
      nearZeroCount: 45,
      eventsFromEnd: [4, 3, 5, 4],
      gapsAfterNs: msOf(195, 195, 195),
    },
    company: { quietStepNs: ms(195), plainStepNs: ms(195), usualP50Ns: ms(1), passP50Ns: ms(195), bunchedCount: 2 },
  };
  const drafts = { engine: engine({ draftAcceptedRatio: 0.7 }) };

  test('is a pass as long as passes are, by an engine that guesses', () => {
    expect(judgeStall(stallContext({ ...passes, context: drafts }))).toMatchObject({
      cause: 'speculation',
      confidence: 0.95,
    });
  });

  test('is nobody knows what where the engine is not looked at', () => {
    expect(causeOf(passes)).toBe('unknown');
  });

  test('is not a gap far longer than passes are', () => {
    expect(causeOf({ ...passes, gapMs: 900, context: drafts })).not.toBe('speculation');
  });

  test('is not a pass with hardly more than one token, each of which would have stalled as well', () => {
    const one = { ...passes.stream, eventCount: 25 };
    expect(causeOf({ ...passes, stream: one, context: drafts })).toBe('unknown');
  });

  // How long one pass happened to be says nothing of how many tokens passes have.
  test('is a pass a little shorter than usual', () => {
    const two = { ...passes.stream, eventCount: 36 };
    expect(causeOf({ ...passes, gapMs: 170, stream: two, context: drafts })).toBe('speculation');
  });

  test('is not the pass of a stream that has hardly begun, whose limit one token would have passed as well', () => {
    const { usualNs: _, ...stream } = stallContext(passes).stream;
    const young = { ...stallContext({ ...passes, context: drafts }), stream };
    expect(judgeStall(young).cause).toBe('unknown');
    expect(judgeStall({ ...young, stream: { ...stream, thresholdNs: ms(196) } }).cause).toBe('speculation');
  });

  test('is not passes that end at other times than those of others', () => {
    expect(causeOf({ ...passes, company: { ...passes.company, inStepRatio: 0 }, context: drafts })).not.toBe(
      'speculation',
    );
  });
});

describe('the client and the sidecar', () => {
  test('a client that took no bytes until just before is the cause', () => {
    const blocked = { blockedToNs: ms(4_990), blockedNs: ms(400) };
    expect(causeOf({ stream: blocked, company: OTHERS_GO_ON })).toBe('client');
    expect(causeOf({ stream: { ...blocked, blockedToNs: ms(4_000) }, company: OTHERS_GO_ON })).toBe('unknown');
    expect(causeOf({ stream: { ...blocked, blockedNs: ms(20) }, company: OTHERS_GO_ON })).toBe('unknown');
  });

  test('a stall that is one only by how late it was stamped is our own', () => {
    expect(causeOf({ gapMs: 104, stream: { lateNs: ms(5) }, company: OTHERS_GO_ON })).toBe('rubato');
    expect(causeOf({ gapMs: 104, stream: { lateNs: ms(3) }, company: OTHERS_GO_ON })).toBe('unknown');
  });

  test('a pause of our own thread that fills the gap is our own', () => {
    expect(causeOf({ stream: { pausedNs: ms(120) }, company: OTHERS_GO_ON })).toBe('rubato');
    expect(causeOf({ stream: { pausedNs: ms(60) }, company: OTHERS_GO_ON })).toBe('unknown');
  });
});

test('two causes of which neither is better founded are none', () => {
  const context = { arrivals: [arrival()] };
  const verdict = judgeStall(stallContext({ stream: { pausedNs: ms(120) }, context }));
  expect(verdict.cause === 'unknown' || verdict.confidence >= 0.95).toBe(true);
  const both = judgeStall(stallContext({ stream: { pausedNs: ms(120) } }));
  expect(both).toMatchObject({ cause: 'unknown', signs: ['rubato_or_host'] });
});

test('a gap that is this route’s usual step is nobody’s doing', () => {
  const { usualNs: _, ...stream } = stallContext().stream;
  const slow = {
    ...stallContext({ gapMs: 210 }),
    stream: { ...stream, gapsAfterNs: msOf(200, 200, 200), gapsBeforeNs: [] },
  };
  const company = {
    ...slow.company,
    quietStepNs: ms(195),
    plainStepNs: ms(195),
    usualP50Ns: ms(198),
    passP50Ns: ms(198),
  };
  expect(judgeStall({ ...slow, company })).toMatchObject({ cause: 'unknown', signs: ['usual_here'] });
});
