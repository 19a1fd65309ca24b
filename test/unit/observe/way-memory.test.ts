// Goal: how long the way to an upstream is at most is known of kept connections too. Method: connections in turn.
import { expect, test } from 'vitest';
import { WayMemory } from '../../../src/observe/way-memory.ts';

test('the quickest handshake of a route stands for its kept connections, until another upstream is behind it', () => {
  const ways = new WayMemory();
  expect(ways.recall('a', { reused: true })).toEqual({ reused: true });
  expect(ways.recall('a', { reused: false, tcpNs: 700 })).toMatchObject({ tcpNs: 700, handshakeLeastNs: 700 });
  expect(ways.recall('a', { reused: false, tcpNs: 400 })).toMatchObject({ handshakeLeastNs: 400 });
  expect(ways.recall('a', { reused: true })).toEqual({ reused: true, handshakeLeastNs: 400 });
  expect(ways.recall('b', { reused: true })).toEqual({ reused: true });
  ways.forget('a');
  expect(ways.recall('a', { reused: true })).toEqual({ reused: true });
});
