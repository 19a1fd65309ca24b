// Goal: it is known whether the bytes so far end inside an event, wherever a hop cut them. Method: one body, cut at
// every byte.
import { expect, test } from 'vitest';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';

const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';

function insideAfter(text: string, mediaType = 'text/event-stream'): boolean {
  const reader = createAnswerReader(
    { status: 200, mediaType },
    { method: 'POST', path: '/v1/chat/completions' },
    () => {},
  );
  reader.feed(Buffer.from(text));
  return reader.insideEvent;
}

test('inside from the first byte to the last but one, outside at the end', () => {
  for (let length = 1; length < EVENT.length; length += 1)
    expect(insideAfter(EVENT.slice(0, length)), `${length}`).toBe(true);
  expect(insideAfter(EVENT)).toBe(false);
  expect(insideAfter(EVENT + EVENT)).toBe(false);
  expect(insideAfter(`${EVENT}d`)).toBe(true);
});

test('line ends of every kind close an event', () => {
  expect(insideAfter(EVENT.replaceAll('\n', '\r\n'))).toBe(false);
  expect(insideAfter(EVENT.replaceAll('\n', '\r'))).toBe(false);
  expect(insideAfter(': comment\n\n')).toBe(false);
});

test('a body that is no stream of events ends inside none', () => {
  expect(insideAfter('{"choices":[', 'application/json')).toBe(false);
});
