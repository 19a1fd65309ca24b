// Goal: what overload took from the tape, or what did not fit into a log, is a doubt of the record, and no figure is
// made over a hole.
// Method: hand-made entries with holes in them.
import { describe, expect, test } from 'vitest';
import { BLOCKED_MAX_COUNT, CHUNK_LOG_MAX_COUNT, PAUSES_MAX_COUNT } from '../../../src/base/limits.ts';
import { finish, recordOf, reportOf, text } from './tape-play.ts';

const CHAT = { model: 'm', stream: true, messages: [] };

describe('overload', () => {
  test('that took chunks away is a doubt, marks the next chunk, and makes no gap of the hole', () => {
    const { record, figures } = reportOf((play) =>
      finish(
        play
          .request(CHAT)
          .head(50)
          .chunk(100, text('a'))
          .chunk(120, text('c'), { seq: 2 })
          .chunk(125, text('d'))
          .chunk(130, text('e')),
      ),
    );
    expect(record.doubts).toEqual(['tape_chunks']);
    expect(record.chunks.flags).toEqual([0, 2, 0, 0, 0]);
    expect([figures.gapsReceived.count, figures.gapsReceived.sumNs]).toEqual([1, 5_000_000]);
    // Of what follows the hole nothing is read before the next blank line.
    expect(record.answer.eventCounts).toEqual({ content: 3, finish: 1, done: 1 });
  });

  test('that took the last chunks away shows by the relay’s own count', () => {
    const record = recordOf((play) => play.request(CHAT).head(50).chunk(100, text('a')).end(130, { chunkCount: 5 }));
    expect(record.doubts).toContain('tape_chunks');
    expect(record.response.chunkCount).toBe(5);
  });

  test('that took bytes away is a doubt; stamps and sizes stay, reading resumes at the next blank line', () => {
    const record = recordOf((play) =>
      finish(
        play
          .request(CHAT)
          .head(50)
          .chunk(100, text('a') + text('cut').slice(0, 10))
          .chunk(110, 'x'.repeat(40), { bytes: undefined, bytesOmitted: true })
          .chunk(120, `${text('cut').slice(20)}${text('b')}`),
      ),
    );
    expect(record.doubts).toEqual(['tape_bytes']);
    // The first chunk ends inside its event.
    expect(record.chunks.flags).toEqual([4, 1, 0, 0]);
    expect(record.chunks.bytes[1]).toBe(40);
    expect(record.answer.eventCounts).toEqual({ content: 2, finish: 1, done: 1 });
    expect(record.end.outcome).toBe('ok');
  });

  test('of the logs is a doubt, and totals go on', () => {
    const record = recordOf((play) => {
      play.request(CHAT).head(50);
      for (let seq = 0; seq <= CHUNK_LOG_MAX_COUNT; seq += 1) play.chunk(100, '', { unflushed: true, byteCount: 1 });
      // Neither an event nor a flush of a chunk that was not kept has a row to go to.
      play.chunk(120, text('late')).end(130);
    });
    expect(record.doubts).toContain('log_full');
    expect([record.chunks.bytes.length, record.response.chunkCount]).toEqual([
      CHUNK_LOG_MAX_COUNT,
      CHUNK_LOG_MAX_COUNT + 2,
    ]);
    expect([record.events.chunk, record.answer.eventCounts]).toEqual([[], { content: 1 }]);
  });

  test('of blocked intervals is a doubt, one below the cap is none; pauses that explained nothing give way', () => {
    const play = (count: number, kind: 'blocked' | 'pause') =>
      recordOf((exchange) => {
        exchange.request(CHAT).head(50).chunk(99, text('a'));
        for (let i = 0; i < count; i += 1) {
          if (kind === 'pause') exchange.pause(100 + i, 100.5 + i);
          else exchange.mark('blockedFrom', 100 + i).mark('blockedTo', 100.5 + i);
        }
        finish(exchange, 5_000);
      }).doubts;
    expect(play(BLOCKED_MAX_COUNT - 1, 'blocked')).toEqual([]);
    expect(play(BLOCKED_MAX_COUNT + 1, 'blocked')).toEqual(['log_full']);
    expect(play(PAUSES_MAX_COUNT + 1, 'pause')).toEqual([]);
  });
});
