// Goal: a peer has stalled when bytes wait for it, and it has taken none of them for the whole limit.
// Method: fake timers and a socket that is nothing but its counters.
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HANDLE, StallGuard } from '../../../src/relay/stall-guard.ts';

const LIMIT_MS = 800;
const LOOK_MS = LIMIT_MS / 8;

class Peer {
  bytesWritten = 0;
  writableLength = 0;
  [HANDLE]: { writeQueueSize: number } | null = { writeQueueSize: 0 };
  isHeldByUs = false;
  stallCount = 0;
  readonly guard = new StallGuard({
    socket: this as unknown as Socket,
    limitMs: LIMIT_MS,
    isHeldByUs: () => this.isHeldByUs,
    onStall: () => {
      this.stallCount += 1;
    },
  });

  /** Gives bytes to the socket, which the kernel does not take. */
  give(bytes: number): void {
    this.bytesWritten += bytes;
    this.writableLength += bytes;
    if (this[HANDLE] !== null) this[HANDLE].writeQueueSize += bytes;
  }

  /** A whole write has left. */
  take(bytes: number): void {
    this.writableLength -= bytes;
    if (this[HANDLE] !== null) this[HANDLE].writeQueueSize -= bytes;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a peer that takes nothing stalls within the limit and two looks, not before the limit', () => {
  const peer = new Peer();
  peer.give(100);
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(peer.stallCount).toBe(0);
  vi.advanceTimersByTime(2 * LOOK_MS + 1);
  expect(peer.stallCount).toBe(1);
  peer.guard.stop();
});

test('a peer for which nothing waits never does', () => {
  const peer = new Peer();
  vi.advanceTimersByTime(10 * LIMIT_MS);
  expect(peer.stallCount).toBe(0);
  peer.guard.stop();
});

test('one that takes a little of a large write now and then does not', () => {
  const peer = new Peer();
  peer.give(100_000);
  for (let i = 0; i < 20; i += 1) {
    vi.advanceTimersByTime(LIMIT_MS - LOOK_MS);
    peer[HANDLE] = { writeQueueSize: 100_000 - i - 1 };
  }
  expect(peer.stallCount).toBe(0);
  peer.guard.stop();
});

test('one that takes write after write of the same size does not', () => {
  const peer = new Peer();
  peer.give(10);
  for (let i = 0; i < 20; i += 1) {
    vi.advanceTimersByTime(LIMIT_MS - LOOK_MS);
    peer.take(10);
    peer.give(10);
  }
  expect(peer.stallCount).toBe(0);
  peer.guard.stop();
});

test('while we hold back ourselves it does not, and then it has the whole limit', () => {
  const peer = new Peer();
  peer.give(100);
  peer.isHeldByUs = true;
  vi.advanceTimersByTime(5 * LIMIT_MS);
  peer.isHeldByUs = false;
  vi.advanceTimersByTime(LIMIT_MS - LOOK_MS);
  expect(peer.stallCount).toBe(0);
  vi.advanceTimersByTime(2 * LOOK_MS);
  expect(peer.stallCount).toBe(1);
  peer.guard.stop();
});

test('what is taken between the last look and its turn of the loop counts', () => {
  const peer = new Peer();
  peer.give(100);
  vi.advanceTimersByTime(LIMIT_MS + LOOK_MS);
  peer.take(50);
  vi.advanceTimersByTime(1);
  expect(peer.stallCount).toBe(0);
  peer.guard.stop();
});

test('a socket without a handle is looked at by its writes', () => {
  const peer = new Peer();
  peer[HANDLE] = null;
  peer.give(1);
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect(peer.stallCount).toBe(1);
  peer.guard.stop();
});

test('after it was stopped there is nothing left', () => {
  const peer = new Peer();
  peer.give(1);
  vi.advanceTimersByTime(LIMIT_MS + LOOK_MS);
  peer.guard.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(10 * LIMIT_MS);
  expect(peer.stallCount).toBe(0);
});
