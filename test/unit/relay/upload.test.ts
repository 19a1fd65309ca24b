// Goal: the moments of an upload are those at which its bytes came and went, however long a write takes; the memory of
// what has left is given back.
// Method: a socket whose write keeps this thread for a while, as a kernel does that runs the reader first; one that
// takes large pieces, or fails.
import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { Upload } from '../../../src/relay/upload.ts';
import type { UpstreamConnection } from '../../../src/relay/upstream-pool.ts';
import type { TapeWriter } from '../../../src/tape/writer.ts';
import { sleep } from '../../support/signal.ts';

const WRITE_MS = 20;

interface Play {
  readonly marks: Map<string, number>;
  /** Moments at which writes of the socket began. */
  readonly writesAtNs: number[];
  readonly upload: Upload;
  readonly connection: { ready: boolean };
}

function play(rawHeaders: readonly string[], body: readonly string[], ready: boolean): Play {
  const marks = new Map<string, number>();
  const writesAtNs: number[] = [];
  const connection = {
    ready,
    socket: {
      writableLength: 0,
      writableHighWaterMark: 1,
      cork: () => undefined,
      uncork: () => undefined,
      write: () => {
        const startedAtNs = nowNs();
        writesAtNs.push(startedAtNs);
        while (nowNs() - startedAtNs < WRITE_MS * 1e6);
      },
    },
  };
  const tape = {
    mark: (_exchange: number, kind: string, atNs: number) => marks.set(kind, atNs),
    requestBytes: () => undefined,
  };
  const req = Object.assign(Readable.from(body.map((text) => Buffer.from(text))), { rawHeaders, rawTrailers: [] });
  const upload = new Upload(
    {
      exchange: 1,
      tape: tape as unknown as TapeWriter,
      req: req as unknown as IncomingMessage,
      method: 'POST',
      target: '/',
      fields: [],
      openedAtNs: nowNs(),
      onSent: () => undefined,
      onException: (error) => {
        throw error;
      },
    },
    connection as unknown as UpstreamConnection,
  );
  upload.start();
  return { marks, writesAtNs, upload, connection };
}

async function finished({ upload }: Play): Promise<void> {
  while (!upload.finished) await sleep(1);
}

describe('the stamps of an upload', () => {
  test.each([
    ['a body of known length', ['content-length', '4'], ['ab', 'cd']],
    ['a body in chunks', ['transfer-encoding', 'chunked'], ['ab', 'cd']],
    ['no body', [], []],
  ])('are taken before the last write: %s', async (_what, headers, body) => {
    const played = play(headers, body, true);
    await finished(played);
    const lastWriteAtNs = played.writesAtNs.at(-1)!;
    expect(played.marks.get('uploadEnd')).toBeLessThanOrEqual(lastWriteAtNs);
    expect(played.marks.get('requestSent')).toBeLessThanOrEqual(lastWriteAtNs);
    expect(played.marks.get('requestSent')).toBeGreaterThanOrEqual(played.marks.get('uploadEnd')!);
  });

  test('a request given to a connection that is not ready is sent when it is', async () => {
    const played = play(['content-length', '2'], ['ab'], false);
    await finished(played);
    expect(played.marks.has('requestSent')).toBe(false);
    const readyAtNs = nowNs();
    played.upload.connected();
    expect(played.marks.get('requestSent')).toBeGreaterThanOrEqual(readyAtNs);
    expect(played.marks.get('uploadEnd')).toBeLessThan(readyAtNs);
  });

  test('a connection that becomes ready before the end of the body is known does not move the send back', async () => {
    const played = play(['content-length', '2'], ['ab'], false);
    const readyAtNs = nowNs();
    played.connection.ready = true;
    // The bytes are with the socket by now or will be; either way they cannot have left before.
    played.upload.connected();
    await finished(played);
    expect(played.marks.get('requestSent')).toBeGreaterThanOrEqual(readyAtNs);
  });
});

describe('the memory of bytes that have left', () => {
  const PIECE_BYTES = 64 * 1024;
  const PIECE_COUNT = 20;

  /** Plays a body of large pieces; gives which of them were freed, and what the copy of the observer got. */
  async function playLarge(rawHeaders: readonly string[], writes: 'take' | 'fail'): Promise<[number[], Buffer]> {
    const pieces = Array.from({ length: PIECE_COUNT }, (_, index) => Buffer.alloc(PIECE_BYTES, index + 1));
    const whole = Buffer.concat(pieces);
    const copied = Buffer.alloc(whole.length);
    const socket = {
      writableLength: 0,
      writableHighWaterMark: 1,
      cork: () => undefined,
      uncork: () => undefined,
      write: (_bytes: unknown, done: unknown) => {
        const fault = writes === 'fail' ? new Error('gone') : undefined;
        if (typeof done === 'function') process.nextTick(done as (fault: unknown) => void, fault);
      },
    };
    const plan = {
      exchange: 1,
      tape: {
        mark: () => undefined,
        requestBytes: (_exchange: number, offset: number, bytes: Uint8Array) => copied.set(bytes, offset),
      },
      req: Object.assign(Readable.from(pieces), { rawHeaders, rawTrailers: [] }),
      method: 'POST',
      target: '/',
      fields: [],
      openedAtNs: 0,
      onSent: () => undefined,
      onException: (error: unknown) => {
        throw error;
      },
    };
    const connection = { ready: true, socket } as unknown as UpstreamConnection;
    const upload = new Upload(plan as unknown as ConstructorParameters<typeof Upload>[0], connection);
    upload.start();
    while (!upload.finished) await sleep(1);
    await sleep(1);
    expect(upload.byteCount).toBe(whole.length);
    return [pieces.flatMap(({ buffer }, index) => (buffer.byteLength === 0 ? [index] : [])), copied];
  }

  const all = Array.from({ length: PIECE_COUNT }, (_, index) => index);
  const stated = ['content-length', String(PIECE_BYTES * PIECE_COUNT)];

  test('is given back at once, whatever the collector does', async () => {
    const image = ['content-type', 'image/png'];
    expect((await playLarge([...stated, ...image], 'take'))[0]).toEqual(all);
    expect((await playLarge(['transfer-encoding', 'chunked', ...image], 'take'))[0]).toEqual(all);
  });

  test('stays while the copy for the observer holds them, which then has its ends right', async () => {
    const [freed, copied] = await playLarge([...stated, 'content-type', 'application/json'], 'take');
    expect(freed).toEqual(all.slice(0, -1));
    expect([copied[0], copied.at(-1)]).toEqual([1, PIECE_COUNT]);
    const [, chunked] = await playLarge(['transfer-encoding', 'chunked', 'content-type', 'application/json'], 'take');
    expect([chunked[0], chunked.at(-1)]).toEqual([1, PIECE_COUNT]);
  });

  test('stays when they have not left', async () => {
    expect((await playLarge([...stated, 'content-type', 'image/png'], 'fail'))[0]).toEqual([]);
  });
});
