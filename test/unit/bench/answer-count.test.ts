// Goal: the benches count each event exactly once and only when it is whole, however an answer is cut, and know an
// answer's end. Method: bytes of answers in every cut into two reads, and byte by byte.
import { describe, expect, it } from 'vitest';
import { AnswerCount } from '../../bench/harness/answer-count.ts';
import { eventChunk } from '../../bench/harness/light-engine.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const STREAM = Buffer.concat([
  Buffer.from(HEAD),
  eventChunk('a'),
  eventChunk('b'),
  Buffer.from('5;x=~\r\nno\n~ \r\n1\r\n\n\r\n0\r\n\r\n'),
]);

function fed(...reads: Buffer[]): AnswerCount {
  const count = new AnswerCount();
  for (const read of reads) count.feed(read);
  return count;
}

describe('counting the events of an answer', () => {
  it('finds the same events wherever the bytes are cut', () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
      const { eventCount, ended, status } = fed(STREAM.subarray(0, cut), STREAM.subarray(cut));
      expect({ eventCount, ended, status }).toEqual({ eventCount: 3, ended: true, status: 200 });
    }
  });

  it('counts an event with the line end behind its mark, and not before', () => {
    const event = eventChunk('a');
    const mark = HEAD.length + event.indexOf('~');
    const lineEnd = HEAD.length + event.indexOf('\n', event.indexOf('~'));
    const bytes = Buffer.concat([Buffer.from(HEAD), event]);
    expect(fed(bytes.subarray(0, mark + 1)).eventCount).toBe(0);
    expect(fed(bytes.subarray(0, lineEnd)).eventCount).toBe(0);
    expect(fed(bytes.subarray(0, lineEnd + 1)).eventCount).toBe(1);
  });

  it('takes no mark in a head, in an extension or behind the end for an event', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nx: ~\r\ntransfer-encoding: chunked\r\n\r\n2;~\r\nab\r\n0\r\n\r\n~\n');
    expect(fed(bytes).eventCount).toBe(0);
  });

  it('is not over before the chunk of length 0', () => {
    const end = STREAM.lastIndexOf('0\r\n\r\n');
    expect(fed(STREAM.subarray(0, end)).ended).toBe(false);
  });

  it('knows the end of an answer that has a length', () => {
    const bytes = Buffer.from('HTTP/1.1 503 Busy\r\ncontent-length: 3\r\n\r\nabc');
    expect(fed(bytes.subarray(0, -1)).ended).toBe(false);
    expect(fed(bytes)).toMatchObject({ ended: true, status: 503 });
    expect(fed(Buffer.from('HTTP/1.1 204 No\r\ncontent-length: 0\r\n\r\n')).ended).toBe(true);
  });

  it('refuses an answer whose end cannot be known, and chunks that are none', () => {
    expect(() => fed(Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'))).toThrow('neither chunked');
    expect(() => fed(Buffer.from(`${HEAD}xyz\r\n`))).toThrow('not a chunk size');
    expect(() => fed(Buffer.alloc(65_537, 'a'))).toThrow('without the end of its head');
  });
});
