// Goal: of an open exchange the latest stalls are known with their cause once it is judged, and the longest gap so far
// is no gap that overload made up. Method: events, stalls and verdicts told by hand.
import { expect, test } from 'vitest';
import { LIVE_STALLS_MAX_COUNT } from '../../../src/base/live-limits.ts';
import { UNJUDGED, type StallVerdict } from '../../../src/judge/causes/verdict.ts';
import { SeenStalls } from '../../../src/observe/seen-stalls.ts';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { CHUNK_AFTER_LOSS } from '../../../src/record/kinds.ts';
import { ms } from '../../support/record-builder.ts';

const stall = (chunk: number, gapMs = 500) => ({ chunk, atNs: ms(chunk), gapNs: ms(gapMs), stalled: true });

function verdict(chunk: number, cause: StallVerdict['cause']): StallVerdict {
  return { chunk, cause, confidence: 0.8, signs: [], numbers: {} };
}

/** Adds a chunk with one event at each of these moments. */
function play(momentsMs: readonly number[], lostAt?: number) {
  const chunks = new ChunkLog();
  const seen = new SeenStalls(chunks);
  for (const [row, atMs] of momentsMs.entries()) {
    const receivedAtNs = ms(atMs);
    const flags = row === lostAt ? CHUNK_AFTER_LOSS : 0;
    chunks.add({ receivedAtNs, writtenAtNs: receivedAtNs, errorBoundNs: 0, bytes: 1, queuedBytes: 0, flags });
    seen.addEvent(receivedAtNs);
  }
  return seen;
}

test('the longest gap is unknown before the second read, and then is that between two reads', () => {
  expect(play([]).gapMaxNs).toBeUndefined();
  expect(play([100]).gapMaxNs).toBeUndefined();
  expect(play([100, 100, 130, 150]).gapMaxNs).toBe(ms(30));
});

test('what overload took away may have been text, so it makes no gap', () => {
  expect(play([0, 20, 900, 930], 2).gapMaxNs).toBe(ms(30));
  expect(play([0, 20, 900, 930]).gapMaxNs).toBe(ms(880));
});

test('a stall has no cause until its own verdict comes, whatever order they come in', () => {
  const seen = play([]);
  seen.addStall(stall(3));
  seen.addStall(stall(9, 700));
  expect(seen.latest).toEqual([
    { chunk: 3, endedAtNs: ms(3), gapNs: ms(500) },
    { chunk: 9, endedAtNs: ms(9), gapNs: ms(700) },
  ]);
  seen.addVerdict(verdict(9, 'preemption'));
  expect(seen.latest.map(({ cause }) => cause)).toEqual([undefined, 'preemption']);
  seen.addVerdict(verdict(3, 'network'));
  expect(seen.latest[0]).toMatchObject({ cause: 'network', confidence: 0.8 });
});

test('a stall that is only counted is told of at once, and takes nothing from an earlier one that is still judged', () => {
  const seen = play([]);
  seen.addStall(stall(3));
  seen.addStall(stall(9));
  seen.addVerdict(UNJUDGED);
  expect(seen.latest.map(({ cause }) => cause)).toEqual([undefined, 'unknown']);
  seen.addVerdict(UNJUDGED);
  expect(seen.latest.map(({ cause }) => cause)).toEqual([undefined, 'unknown']);
});

test('the latest are kept and all are counted; a verdict for one that is gone changes nothing', () => {
  const seen = play([]);
  for (let chunk = 0; chunk < LIVE_STALLS_MAX_COUNT + 3; chunk += 1) seen.addStall(stall(chunk));
  seen.addVerdict(verdict(0, 'network'));
  expect([seen.count, seen.latest.length, seen.latest[0]?.chunk]).toEqual([LIVE_STALLS_MAX_COUNT + 3, 16, 3]);
  expect(seen.latest.filter(({ cause }) => cause !== undefined)).toEqual([]);
});
