// Goal: connections beyond the limit are told so, those beyond these are closed, and who leaves makes room.
// Method: sockets that are only events, a limit that can be moved, and clocks set by hand.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OVERFLOW_WAIT_MS } from '../../../src/base/client-limits.ts';
import { ConnectionCap } from '../../../src/relay/connection-cap.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function capOf(maxCount: number) {
  const state = { maxCount, unansweredCount: 0, refused: [] as unknown[] };
  const cap = new ConnectionCap({
    maxCount: () => state.maxCount,
    onUnanswered: () => (state.unansweredCount += 1),
    refuse: (socket) => state.refused.push(socket),
  });
  const open = () => {
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      destroy() {
        socket.destroyed = true;
        socket.emit('close');
      },
    });
    cap.add(socket as unknown as Socket);
    cap.ready(socket as unknown as Socket);
    return socket as unknown as Socket;
  };
  return { cap, state, open };
}

test('connections up to the limit are like any other', () => {
  const { cap, state, open } = capOf(2);
  expect([open(), open()].map((socket) => cap.isOverflow(socket))).toEqual([false, false]);
  vi.advanceTimersByTime(10 * OVERFLOW_WAIT_MS);
  expect(state).toMatchObject({ unansweredCount: 0, refused: [] });
});

test('one more is over the limit for all its requests, and is not refused a second time', () => {
  const { cap, state, open } = capOf(1);
  open();
  const more = open();
  expect([cap.isOverflow(more), cap.isOverflow(more)]).toEqual([true, true]);
  vi.advanceTimersByTime(10 * OVERFLOW_WAIT_MS);
  expect(state).toMatchObject({ unansweredCount: 0, refused: [] });
});

test('one that asks for nothing is refused after a moment, once', () => {
  const { state, open } = capOf(1);
  open();
  const more = open();
  vi.advanceTimersByTime(OVERFLOW_WAIT_MS - 1);
  expect(state.refused).toEqual([]);
  vi.advanceTimersByTime(10 * OVERFLOW_WAIT_MS);
  expect(state).toMatchObject({ unansweredCount: 1, refused: [more] });
});

test('one that leaves by itself is refused nothing', () => {
  const { state, open } = capOf(1);
  open();
  open().destroy();
  vi.advanceTimersByTime(10 * OVERFLOW_WAIT_MS);
  expect(state).toMatchObject({ unansweredCount: 0, refused: [] });
});

test('of a flood those beyond a share of the limit are closed at once', () => {
  const { state, open } = capOf(8);
  const sockets = Array.from({ length: 12 }, open);
  // Eight have room and two are kept to be told; each of the last two made room for the next by being closed.
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([...Array(10).fill(false), true, true]);
  expect(state.unansweredCount).toBe(2);
});

test('who leaves makes room, and a limit that is raised lets in more', () => {
  const { cap, state, open } = capOf(1);
  open().destroy();
  expect(cap.isOverflow(open())).toBe(false);
  state.maxCount = 2;
  expect(cap.isOverflow(open())).toBe(false);
  expect(cap.isOverflow(open())).toBe(true);
});

test('a connection that is given to the server a second time is counted once', () => {
  const { cap, open } = capOf(2);
  cap.add(open());
  expect(cap.isOverflow(open())).toBe(false);
});
