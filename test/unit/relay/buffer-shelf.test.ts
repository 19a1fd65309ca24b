// Goal: buffers come back to be used again, and no more than a few wait for it.
// Method: taking and giving.
import { expect, test } from 'vitest';
import { BufferShelf } from '../../../src/relay/buffer-shelf.ts';

test('a buffer that was given is taken again, the last one first', () => {
  const shelf = new BufferShelf(16, 2);
  const [first, second] = [shelf.take(), shelf.take()];
  expect([first.length, second.length]).toEqual([16, 16]);
  expect(first).not.toBe(second);
  shelf.give(first);
  shelf.give(second);
  expect(shelf.take()).toBe(second);
  expect(shelf.take()).toBe(first);
});

test('no more wait than the cap', () => {
  const shelf = new BufferShelf(16, 1);
  const [first, second] = [shelf.take(), shelf.take()];
  shelf.give(first);
  shelf.give(second);
  expect(shelf.take()).toBe(first);
  expect([first, second]).not.toContain(shelf.take());
});

test('buffers share no memory with others', () => {
  const shelf = new BufferShelf(16, 1);
  expect(shelf.take().buffer.byteLength).toBe(16);
});
