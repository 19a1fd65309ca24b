// Goal: live, gaps come out as they end, whatever is known late.
// Method: entries told by hand in the order of a tape.
import { describe, expect, test } from 'vitest';
import { PAUSES_MAX_COUNT } from '../../../src/base/limits.ts';
import { createGapMeter, type GapMeter } from '../../../src/measure/gap-meter.ts';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { CHUNK_AFTER_LOSS, CHUNK_BYTES_OMITTED } from '../../../src/record/kinds.ts';
import { ms } from '../../support/record-builder.ts';

interface Live {
  readonly log: ChunkLog;
  readonly meter: GapMeter;
  /** What was said so far, in words. */
  readonly said: string[];
}

function live(stallMs = 100): Live {
  const log = new ChunkLog();
  const said: string[] = [];
  const meter = createGapMeter({
    chunks: log,
    stallNs: ms(stallMs),
    listener: {
      onGap: (point, { chunk, atNs, gapNs, stalled }) =>
        said.push(`${point} ${gapNs} at ${atNs} row ${chunk}${stalled ? ' stalled' : ''}`),
      onTaintedGap: (cause, chunk) => said.push(`tainted ${cause} row ${chunk}`),
      onCoalesced: () => said.push('coalesced'),
    },
  });
  return { log, meter, said };
}

/** A chunk with one generated event; returns its row. */
function take(
  { log, meter }: Live,
  receivedAtNs: number,
  { errorBoundNs = 0, flags = 0, generated = true } = {},
): number {
  const row = log.add({
    receivedAtNs,
    writtenAtNs: receivedAtNs,
    errorBoundNs,
    bytes: 1,
    queuedBytes: 0,
    flags,
  }) as number;
  if (generated) meter.onGenerated(row);
  return row;
}

function flush({ log, meter }: Live, row: number, atNs: number): void {
  log.flush(row, atNs);
  meter.onFlush(row);
}

describe('received gaps', () => {
  test('are said as the read comes, the first read ends none', () => {
    const one = live();
    take(one, 1_000);
    expect(one.said).toEqual([]);
    take(one, 1_500);
    expect(one.said).toEqual(['received 500 at 1500 row 1']);
  });

  test('skip chunks without a generated fragment', () => {
    const one = live();
    take(one, 1_000);
    take(one, 1_200, { generated: false });
    take(one, 1_500);
    expect(one.said).toEqual(['received 500 at 1500 row 2']);
  });

  test('are one a read: chunks and events with the same first stamp are coalesced', () => {
    const one = live();
    const first = take(one, 1_000);
    one.meter.onGenerated(first);
    take(one, 1_000);
    take(one, 1_300);
    expect(one.said).toEqual(['coalesced', 'coalesced', 'received 300 at 1300 row 2']);
  });

  test('are marked when they stall', () => {
    const one = live();
    take(one, 0);
    take(one, ms(100));
    take(one, ms(200) + 1);
    expect(one.said).toEqual([
      `received ${ms(100)} at ${ms(100)} row 1`,
      `received ${ms(100) + 1} at ${ms(200) + 1} row 2 stalled`,
    ]);
  });

  test('a tainted gap teaches nothing about what is usual', () => {
    const one = live();
    for (let index = 0; index <= 7; index += 1) take(one, ms(500 * index));
    // Seven good gaps so far. Were the tainted one the eighth, 4 times the median would allow 2,000 ms.
    take(one, ms(4_500), { errorBoundNs: ms(60) });
    take(one, ms(5_750));
    expect(one.said.slice(7)).toEqual(['tainted loop row 8', `received ${ms(1_250)} at ${ms(5_750)} row 9 stalled`]);
  });
});

describe('flushed gaps', () => {
  test('come when the later flush is known', () => {
    const one = live();
    flush(one, take(one, 1_000), 1_100);
    const second = take(one, 1_500);
    one.said.length = 0;
    flush(one, second, 1_900);
    expect(one.said).toEqual(['flushed 800 at 1900 row 1']);
  });

  test('come with the event when it is decoded after the flush', () => {
    const one = live();
    flush(one, take(one, 1_000, { generated: false }), 1_100);
    flush(one, take(one, 1_500, { generated: false }), 1_900);
    one.meter.onGenerated(0);
    one.meter.onGenerated(1);
    expect(one.said).toEqual(['received 500 at 1500 row 1', 'flushed 800 at 1900 row 1']);
  });

  test('go by the first chunk of a read that has a fragment', () => {
    const one = live();
    flush(one, take(one, 1_000), 1_100);
    const silent = take(one, 1_500, { generated: false });
    const first = take(one, 1_500);
    const second = take(one, 1_500);
    flush(one, silent, 1_600);
    flush(one, first, 1_700);
    flush(one, second, 1_800);
    expect(one.said).toEqual(['received 500 at 1500 row 2', 'coalesced', 'flushed 600 at 1700 row 2']);
  });

  test('are absent when either flush never came', () => {
    const one = live();
    take(one, 1_000);
    flush(one, take(one, 1_500), 1_600);
    take(one, 2_000);
    expect(one.said).toEqual(['received 500 at 1500 row 1', 'received 500 at 2000 row 2']);
  });

  test('are dropped when their stamps run backwards', () => {
    const one = live();
    flush(one, take(one, 1_000), 1_800);
    flush(one, take(one, 1_500), 1_700);
    expect(one.said).toEqual(['received 500 at 1500 row 1']);
  });

  test('are dropped when our socket was blocked in between, although the received gap was not', () => {
    const one = live();
    flush(one, take(one, 1_000), 1_100);
    const second = take(one, 1_500);
    one.meter.onBlocked(1_510);
    one.meter.onUnblocked(5_000);
    flush(one, second, 5_010);
    expect(one.said).toEqual(['received 500 at 1500 row 1']);
  });

  test('share the fate of the received gap', () => {
    const one = live();
    flush(one, take(one, 0), 100);
    flush(one, take(one, ms(10), { errorBoundNs: ms(2) }), ms(11));
    expect(one.said).toEqual(['tainted loop row 1']);
  });
});

describe('interruptions', () => {
  test('a block that is still open taints the gap that ends now', () => {
    const one = live();
    take(one, 1_000);
    one.meter.onBlocked(1_200);
    take(one, 1_500);
    one.meter.onUnblocked(1_600);
    take(one, 1_700);
    take(one, 1_800);
    expect(one.said).toEqual([
      'tainted backpressure row 1',
      'tainted backpressure row 2',
      'received 100 at 1800 row 3',
    ]);
    expect(one.meter.blockedNs).toEqual([1_200, 1_600]);
    expect(one.meter.blockedFull).toBe(false);
  });

  test('a pause names the cause of gaps that end after it became known', () => {
    const one = live();
    const gc = { startAtNs: ms(5), endAtNs: ms(9), cause: 'gc' } as const;
    take(one, 0);
    take(one, ms(10), { errorBoundNs: ms(5) });
    one.meter.onPause(gc);
    take(one, ms(20));
    expect(one.said).toEqual(['tainted loop row 1', 'tainted gc row 2']);
    expect(one.meter.pauses).toEqual([{ ...gc, knownFromRead: 2 }]);
  });

  test('pauses beyond the cap are ignored when each has named a cause', () => {
    const one = live();
    take(one, 0);
    for (let index = 0; !one.meter.pausesFull; index += 1) {
      one.meter.onPause({ startAtNs: ms(10 * index + 8), endAtNs: ms(10 * index + 9), cause: 'gc' });
      take(one, ms(10 * index + 10), { errorBoundNs: ms(3) });
    }
    one.meter.onPause({ startAtNs: 0, endAtNs: 1, cause: 'gc' });
    expect(one.meter.pauses.length).toBe(PAUSES_MAX_COUNT);
  });

  test('of a long stream on a busy relay only the pauses that named a cause are kept, and a few', () => {
    const one = live();
    take(one, 0);
    for (let read = 1; read <= 1_000; read += 1) {
      one.meter.onPause({ startAtNs: ms(10 * read - 6), endAtNs: ms(10 * read - 4), cause: 'gc' });
      take(one, ms(10 * read), { errorBoundNs: read % 100 === 0 ? ms(8) : 0 });
    }
    // A bad stamp spoils the gaps on both of its sides, except the last one, behind which nothing came.
    expect(one.said.filter((text) => text.startsWith('tainted gc'))).toHaveLength(19);
    expect(one.meter.pauses.length).toBeLessThan(20);
  });

  test('before the first token only the latest pauses are kept', () => {
    const one = live();
    for (let index = 0; index < 1_000; index += 1) {
      one.meter.onPause({ startAtNs: ms(index), endAtNs: ms(index) + 1, cause: 'gc' });
    }
    take(one, ms(1_000), { errorBoundNs: ms(2) });
    take(one, ms(1_010));
    expect(one.said).toEqual(['tainted gc row 1']);
    expect(one.meter.pauses.length).toBeLessThan(10);
  });

  test.each([CHUNK_BYTES_OMITTED, CHUNK_AFTER_LOSS])('no gap is measured across lost chunks (flag %i)', (flags) => {
    const one = live();
    take(one, 1_000);
    take(one, 1_200, { flags, generated: false });
    take(one, 1_500);
    take(one, 1_900);
    expect(one.said).toEqual(['received 400 at 1900 row 3']);
  });

  test('a flush of an unknown row is ignored', () => {
    const one = live();
    one.meter.onFlush(7);
    expect(one.said).toEqual([]);
  });
});
