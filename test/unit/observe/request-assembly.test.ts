// Goal: the copy of a request is whole when every piece came, else its two ends, and never a middle taken for an end.
// Method: pieces with and without holes around each border; then what a reader makes of a nested object in a hole.
import { describe, expect, test } from 'vitest';
import { REQUEST_COPY_EDGE_BYTES as EDGE, REQUEST_COPY_WHOLE_BYTES as WHOLE } from '../../../src/base/limits.ts';
import { RequestAssembly } from '../../../src/observe/request-assembly.ts';
import { readRequest } from '../../../src/stream/request-reader.ts';

function pattern(length: number, from: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (from + index) % 251));
}

/** What is known of a body of `totalBytes` of which these ranges came. */
function copyOf(totalBytes: number, ...ranges: (readonly [number, number])[]) {
  const assembly = new RequestAssembly();
  for (const [from, to] of ranges) assembly.add(from, pattern(to - from, from));
  const { head, tail, ...rest } = assembly.copy(totalBytes);
  expect(rest).toEqual({ totalBytes });
  expect(Buffer.from(head).equals(pattern(head.length, 0))).toBe(true);
  if (tail !== undefined) expect(Buffer.from(tail).equals(pattern(tail.length, totalBytes - tail.length))).toBe(true);
  return { headBytes: head.length, tailBytes: tail?.length };
}

describe('a body', () => {
  test('of which every piece came is whole up to the cap', () => {
    expect(copyOf(0)).toEqual({ headBytes: 0, tailBytes: undefined });
    expect(copyOf(300, [0, 100], [100, 101], [101, 300])).toEqual({ headBytes: 300, tailBytes: undefined });
    expect(copyOf(WHOLE, [0, WHOLE])).toEqual({ headBytes: WHOLE, tailBytes: undefined });
  });

  test('larger than the cap has two ends, from one piece or from two', () => {
    expect(copyOf(WHOLE + 5, [0, WHOLE], [WHOLE, WHOLE + 5])).toEqual({ headBytes: EDGE, tailBytes: EDGE });
    expect(copyOf(WHOLE * 3, [0, EDGE], [WHOLE * 3 - EDGE, WHOLE * 3])).toEqual({ headBytes: EDGE, tailBytes: EDGE });
  });

  test('with a hole has what came before it, and an end only where the last byte came', () => {
    expect(copyOf(300, [0, 100], [200, 300])).toEqual({ headBytes: 100, tailBytes: 100 });
    expect(copyOf(300, [0, 100], [150, 200], [200, 300])).toEqual({ headBytes: 100, tailBytes: 100 });
    expect(copyOf(300, [100, 200], [200, 300])).toEqual({ headBytes: 0, tailBytes: 100 });
    expect(copyOf(300, [0, 100], [150, 200])).toEqual({ headBytes: 100, tailBytes: undefined });
    expect(copyOf(300, [0, 299])).toEqual({ headBytes: 299, tailBytes: undefined });
    expect(copyOf(WHOLE * 3, [0, EDGE])).toEqual({ headBytes: EDGE, tailBytes: undefined });
    expect(copyOf(300)).toEqual({ headBytes: 0, tailBytes: undefined });
  });
});

test('fields of a nested object before a hole are not the body’s own', () => {
  const nested = '{"metadata":{"model":"inner","stream":true}';
  const body = `${nested},"model":"outer"}`;
  const assembly = new RequestAssembly();
  // The middle piece came, the last one did not.
  assembly.add(1, Buffer.from(nested.slice(1)));
  const reading = readRequest(assembly.copy(body.length), 'application/json', undefined);
  expect([reading.model, reading.stream, reading.cut]).toEqual([undefined, undefined, true]);
});

test('a long body cut off at a nested object tells nothing of its end', () => {
  const start = `{"messages":[${'"x",'.repeat(WHOLE / 4)}"x"],"metadata":{"model":"inner"}`;
  const assembly = new RequestAssembly();
  assembly.add(0, Buffer.from(start));
  const reading = readRequest(assembly.copy(start.length + 500), 'application/json', undefined);
  expect([reading.model, reading.cut]).toEqual([undefined, true]);
});

test('the pieces of a body are only handed out of one that came whole, and is not too long', () => {
  const assembly = new RequestAssembly();
  assembly.add(0, Buffer.from('{"a"'));
  expect(assembly.whole(6)).toBeUndefined();
  assembly.add(4, Buffer.from(':1'));
  expect(Buffer.concat(assembly.whole(6) ?? []).toString()).toBe('{"a":1');
  assembly.add(10, Buffer.from('}'));
  expect(assembly.whole(11)).toBeUndefined();
  const long = new RequestAssembly();
  long.add(0, Buffer.alloc(WHOLE + 1));
  expect(long.whole(WHOLE + 1)).toBeUndefined();
});

test('what was let go is forgotten', () => {
  const assembly = new RequestAssembly();
  assembly.add(0, Buffer.from('{"model":'));
  assembly.add(20, Buffer.from('"m"}'));
  assembly.clear();
  expect(assembly.copy(24)).toEqual({ head: Buffer.alloc(0), totalBytes: 24 });
});
