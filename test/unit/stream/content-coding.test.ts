// Goal: compressed bodies are read as they come, and whatever cannot be read says so instead of
// looking empty. Method: real zlib streams with a flush after each event; exact events by piece.
import zlib from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DECODED_RATIO_FREE_BYTES, JSON_ANSWER_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import { openDecoder } from '../../../src/stream/content-coding.ts';
import { CHAT_HINTS, DONE, delta, inBytes, kinds, readAll, type Setting } from './read-all.ts';

const EVENTS = [delta({ content: 'a' }), delta({ content: '渐🌍' }), DONE];

const coded = (encoding: string): Setting => ({
  head: { status: 200, mediaType: 'text/event-stream', encoding },
});

interface Packer extends NodeJS.EventEmitter {
  write(text: string): boolean;
  flush(done: () => void): void;
  end(): unknown;
}

/** The parts compressed as one stream, flushed after each: what a careful server sends. */
async function packed(packer: Packer, parts: readonly string[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let held: Buffer[] = [];
  packer.on('data', (piece: Buffer) => held.push(piece));
  const cut = () => {
    pieces.push(Buffer.concat(held));
    held = [];
  };
  for (const part of parts) {
    packer.write(part);
    await new Promise<void>((resolve) => packer.flush(resolve));
    cut();
  }
  packer.end();
  await new Promise((resolve) => packer.on('end', resolve));
  cut();
  return pieces;
}

const PACKERS: [string, () => Packer][] = [
  ['gzip', () => zlib.createGzip()],
  ['x-gzip', () => zlib.createGzip()],
  ['deflate', () => zlib.createDeflate()],
  ['deflate', () => zlib.createDeflateRaw()],
  ['br', () => zlib.createBrotliCompress()],
  ['zstd', () => zlib.createZstdCompress()],
];

describe('content coding', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(PACKERS)('decodes %s so that events stay with the piece that completed them', async (encoding, packer) => {
    const pieces = await packed(packer(), EVENTS);
    const told = readAll(pieces, coded(encoding.toUpperCase()));
    expect(kinds(told)).toEqual(['content', 'content', 'done']);
    expect(told.pieces).toEqual([0, 1, 2]);
    expect(told.doubts).toEqual([]);
    expect(kinds(readAll(inBytes(Buffer.concat(pieces)), coded(encoding)))).toEqual(['content', 'content', 'done']);
  });

  it.each([['gzip'], ['zstd']])('reads on over the border of two %s members', (encoding) => {
    const pack = encoding === 'gzip' ? zlib.gzipSync : zlib.zstdCompressSync;
    const body = Buffer.concat(EVENTS.map((event) => pack(event)));
    expect(kinds(readAll([body], coded(encoding)))).toEqual(['content', 'content', 'done']);
    expect(kinds(readAll(inBytes(body), coded(encoding)))).toEqual(['content', 'content', 'done']);
  });

  it('ignores garbage behind the end where the format has one', () => {
    const body = Buffer.concat([zlib.deflateSync(EVENTS.join('')), Buffer.from('garbage')]);
    const told = readAll([body], coded('deflate'));
    expect(kinds(told)).toEqual(['content', 'content', 'done']);
    expect(told.doubts).toEqual([]);
  });

  it('keeps what a cut stream gave, without calling it unreadable', async () => {
    const pieces = await packed(zlib.createGzip(), EVENTS);
    const told = readAll(pieces.slice(0, 1), coded('gzip'));
    expect(kinds(told)).toEqual(['content']);
    expect(told.facts.terminal).toBe(false);
    expect(told.doubts).toEqual([]);
  });

  it('says that a corrupt stream became unreadable, and keeps what came before', async () => {
    const [first = Buffer.alloc(0)] = await packed(zlib.createGzip(), EVENTS);
    const told = readAll([first, Buffer.alloc(64, 0xff), EVENTS[1] ?? ''], coded('gzip'));
    expect(kinds(told)).toEqual(['content']);
    expect(told.facts).toMatchObject({ unreadable: 'gzip', dialect: 'openai-chat' });
    expect(told.doubts).toEqual(['unreadable']);
    expect(told.tokens).toEqual({});
  });

  it.each([
    ['compress', 'compress'],
    ['gzip, br', 'gzip, br'],
    [`x${'y'.repeat(200)}`, `x${'y'.repeat(127)}`],
  ])('marks the coding %j as unreadable', (encoding, unreadable) => {
    const told = readAll(EVENTS, coded(encoding));
    expect(told.events).toEqual([]);
    expect(told.facts).toMatchObject({ unreadable, dialect: 'opaque', streamed: true });
    expect(told.doubts).toEqual(['unreadable']);
  });

  it.each([['identity'], [''], [' , identity']])('reads plain bytes under the coding %j', (encoding) => {
    expect(kinds(readAll(EVENTS, coded(encoding)))).toEqual(['content', 'content', 'done']);
  });

  it('takes an empty feed for nothing', () => {
    const told = readAll([Buffer.alloc(0), zlib.gzipSync(EVENTS.join(''))], coded('gzip'));
    expect(kinds(told)).toEqual(['content', 'content', 'done']);
  });

  it('stops at a bomb, by ratio and by total', () => {
    const byRatio = readAll([zlib.gzipSync(Buffer.alloc(20 * DECODED_RATIO_FREE_BYTES, ':'))], coded('gzip'));
    expect(byRatio.facts.unreadable).toBe('bomb');
    // Stored blocks stay at a ratio of 1, so only the total can stop them: 65 members of 1 MiB.
    const decoder = openDecoder('gzip');
    if (!('decoder' in decoder) || decoder.decoder === undefined) throw new Error('no decoder');
    const packer = zlib.gzipSync(Buffer.alloc(1024 * 1024, '0123456789abcdefghijklmnopqrstuvwxyz'), { level: 0 });
    let fault: string | undefined;
    let decodedBytes = 0;
    for (let count = 0; count < 70 && fault === undefined; count += 1) {
      fault = decoder.decoder.decode(packer, (piece) => {
        decodedBytes += piece.length;
      });
    }
    decoder.decoder.close();
    expect(fault).toBe('bomb');
    expect(decodedBytes).toBe(64 * 1024 * 1024);
  });

  it('does not take repetition in a short stream for a bomb', () => {
    const body = zlib.gzipSync(':\n\n'.repeat(100_000) + DONE);
    expect(readAll([body], coded('gzip')).facts).toMatchObject({ eventCounts: { comment: 100_000, done: 1 } });
  });

  it('closes safely when the framing gives up in the middle of a write', () => {
    const body = zlib.gzipSync(`"${'0123456789abcdef'.repeat(JSON_ANSWER_MAX_BYTES / 8)}"`, { level: 0 });
    const told = readAll([body, body], { head: { status: 200, mediaType: 'application/json', encoding: 'gzip' } });
    expect(told.facts.unreadable).toBe('too_large');
  });

  it('cannot enter a compressed stream behind a hole', async () => {
    const pieces = await packed(zlib.createGzip(), EVENTS);
    const told: string[] = [];
    const head = { status: 200, mediaType: 'text/event-stream', encoding: 'gzip' };
    const reader = createAnswerReader(head, CHAT_HINTS, (event) => told.push(event.kind));
    reader.feed(pieces[0] ?? Buffer.alloc(0));
    reader.skip();
    reader.feed(pieces[2] ?? Buffer.alloc(0));
    reader.end();
    expect(told).toEqual(['content']);
    expect(reader.facts().unreadable).toBe('tape');
  });

  it('marks a coding unreadable where Node hides the synchronous way', () => {
    vi.spyOn(zlib, 'createGunzip').mockReturnValue({ close() {} } as unknown as zlib.Gunzip);
    expect(readAll([zlib.gzipSync(DONE)], coded('gzip')).facts.unreadable).toBe('gzip');
  });
});
