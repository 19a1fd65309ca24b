// Goal: only a client that could send, and hardly does, counts as too slow.
// Method: looks at a request whose state and bytes are set by hand; one look stands for one second.
import { describe, expect, test } from 'vitest';
import { UPLOAD_RATE_LOOKS_COUNT } from '../../../src/base/client-limits.ts';
import { UploadRate, type Sending } from '../../../src/relay/upload-rate.ts';

const MIN_BYTES_PER_SECOND = 100;

function client(...fields: string[]) {
  const state = { bytesRead: 500, complete: false, paused: false, headersSent: false, isWaiting: false };
  const sending = {
    req: {
      rawHeaders: fields.length > 0 ? fields : ['Content-Length', '100000'],
      get complete() {
        return state.complete;
      },
      isPaused: () => state.paused,
      socket: {
        get bytesRead() {
          return state.bytesRead;
        },
      },
    },
    res: {
      get headersSent() {
        return state.headersSent;
      },
    },
    get isWaiting() {
      return state.isWaiting;
    },
  } as unknown as Sending;
  const rate = new UploadRate();
  return {
    state,
    /** Looks so often, and sends so many bytes before each look; how many of them said "too slow". */
    looks(count: number, bytesEach: number): number {
      let tooSlowCount = 0;
      for (let i = 0; i < count; i += 1) {
        state.bytesRead += bytesEach;
        if (rate.isTooSlow(sending, MIN_BYTES_PER_SECOND)) tooSlowCount += 1;
      }
      return tooSlowCount;
    },
  };
}

describe('a client', () => {
  test('that sends nothing is too slow after ten looks, and not before', () => {
    const it = client();
    expect(it.looks(UPLOAD_RATE_LOOKS_COUNT, 0)).toBe(0);
    expect(it.looks(1, 0)).toBe(1);
  });

  test('that sends a byte less than it must is too slow, at the least speed it is not', () => {
    expect(client().looks(11, 99)).toBe(1);
    expect(client().looks(100, 100)).toBe(0);
  });

  test('that pauses and sends enough on the whole is not too slow', () => {
    const it = client();
    expect(it.looks(1, 0)).toBe(0);
    for (let i = 0; i < 5; i += 1) expect(it.looks(9, 0) + it.looks(1, 1_000)).toBe(0);
  });
});

describe('time does not count', () => {
  test('in which the engine keeps the client waiting', () => {
    const it = client();
    it.looks(9, 0);
    it.state.paused = true;
    expect(it.looks(1, 0)).toBe(0);
    it.state.paused = false;
    expect(it.looks(UPLOAD_RATE_LOOKS_COUNT - 1, 0)).toBe(0);
    expect(it.looks(1, 0)).toBe(1);
  });

  test('in which it stands in the admission queue', () => {
    const it = client();
    it.looks(1, 400);
    it.state.isWaiting = true;
    expect(it.looks(100, 0)).toBe(0);
    it.state.isWaiting = false;
    expect(it.looks(UPLOAD_RATE_LOOKS_COUNT - 1, 0)).toBe(0);
    expect(it.looks(1, 0)).toBe(1);
  });

  test.each(['complete', 'headersSent'] as const)('when the request is %s', (what) => {
    const it = client();
    it.state[what] = true;
    expect(it.looks(100, 0)).toBe(0);
  });

  test('before a client that expects to be told to go on has begun', () => {
    const it = client('Content-Length', '9', 'Expect', '100-continue');
    expect(it.looks(100, 0)).toBe(0);
    expect(it.looks(1, 1)).toBe(0);
    expect(it.looks(UPLOAD_RATE_LOOKS_COUNT, 0)).toBe(1);
  });

  test.each([
    ['chunks', 'Transfer-Encoding', 'chunked'],
    ['no body', 'Accept', '*/*'],
  ])('of a request with %s', (_what, ...fields) => {
    expect(client(...fields).looks(100, 0)).toBe(0);
  });
});
