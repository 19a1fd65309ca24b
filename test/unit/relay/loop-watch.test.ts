// Goal: a request that an edge sent and that comes in there again is known for one, and nothing else is.
// Method: ids of traces in few words, as steps of a trace give them.
import { expect, test } from 'vitest';
import { LoopWatch } from '../../../src/relay/loop-watch.ts';
import type { TraceIds } from '../../../src/tape/entries.ts';

const MAIN = 0;
const [EDGE, OTHER_EDGE] = [1, 2];

function ids(clientSpanId: string, parentSpanId?: string): TraceIds {
  return { traceId: 't', parentSpanId, serverSpanId: 's', clientSpanId, sampled: true };
}

test('what an edge sent is back when it comes in at that edge while it is open', () => {
  const watch = new LoopWatch();
  const noted = watch.note(EDGE, ids('a'));
  expect(watch.isBack(EDGE, ids('b', 'a'))).toBe(true);
  watch.forget(noted);
  expect(watch.isBack(EDGE, ids('b', 'a'))).toBe(false);
});

test('the way it is meant is no loop: through another edge, and to the main listener', () => {
  const watch = new LoopWatch();
  watch.note(EDGE, ids('a'));
  expect(watch.isBack(OTHER_EDGE, ids('b', 'a'))).toBe(false);
  expect(watch.isBack(MAIN, ids('b', 'a'))).toBe(false);
});

test('without a trace, or with another caller, nothing is known', () => {
  const watch = new LoopWatch();
  expect(watch.note(EDGE, undefined)).toBeUndefined();
  expect(watch.note(MAIN, ids('a'))).toBeUndefined();
  expect(watch.isBack(EDGE, undefined)).toBe(false);
  expect(watch.isBack(EDGE, ids('b'))).toBe(false);
  expect(watch.isBack(EDGE, ids('b', 'a'))).toBe(false);
  watch.forget(undefined);
});
