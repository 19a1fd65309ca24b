// Goal: the gate drops exactly the events above its cap, whichever way the bytes are cut.
// Method: small caps, every cut position, and a property against a whole-text oracle (seed printed by
// fast-check when it fails).
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventGate } from '../../../src/stream/framings/event-gate.ts';
import { cutAt, inBytes } from './read-all.ts';
import { fuzz } from '../../support/fuzz.ts';

/** What the gate let through: whole events as text; `!` marks an overflow. */
function through(maxBytes: number, pieces: readonly Uint8Array[]): string[] {
  const told: string[] = [];
  let held = '';
  const gate = new EventGate(maxBytes, {
    pass: (bytes) => {
      held += Buffer.from(bytes).toString('latin1');
    },
    forget: () => {
      told.push(held);
      held = '';
    },
    onOverflow: () => told.push('!'),
  });
  for (const piece of pieces) gate.feed(piece);
  return [...told, held];
}

/** The same, from the definition: an event is everything up to the end of its blank line. */
function oracle(maxBytes: number, text: string): string[] {
  const told: string[] = [];
  let held = '';
  for (const event of splitEvents(text)) {
    if (event.length <= maxBytes) held += event;
    else {
      told.push(held + event.slice(0, maxBytes), '!');
      held = '';
    }
  }
  return [...told, held];
}

function splitEvents(text: string): string[] {
  const events: string[] = [];
  let start = 0;
  let lineStart = 0;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    const blank = end.index === lineStart;
    lineStart = end.index + end[0].length;
    // The border lies behind the first byte of the line end: a CR is enough.
    if (!blank) continue;
    events.push(text.slice(start, end.index + 1));
    start = end.index + 1;
  }
  return [...events, text.slice(start)];
}

const stream = fc.array(fc.constantFrom('data: x', ':', 'a', 'bcd', '\n', '\r', '\r\n', '\n\n', '\r\r'), {
  maxLength: 40,
});

describe('event gate', () => {
  it('lets small events pass and drops the large one between them', () => {
    const bytes = Buffer.from('a\n\nbbbbbbbbbbbb\n\nc\n\n');
    expect(through(8, [bytes])).toEqual(['a\n\nbbbbbbbb', '!', 'c\n\n']);
  });

  it('takes an event of exactly the cap', () => {
    expect(through(5, [Buffer.from('abc\n\ndef\n\n')])).toEqual(['abc\n\ndef\n\n']);
    expect(through(4, [Buffer.from('abc\n\nd\n\n')])).toEqual(['abc\n', '!', 'd\n\n']);
  });

  it('holds at most the cap of a stream without any line end', () => {
    const pieces = Array.from({ length: 1000 }, () => Buffer.from('x'.repeat(100)));
    expect(through(256, pieces)).toEqual(['x'.repeat(256), '!', '']);
  });

  it('gives the same for every cut, and as the oracle says', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 12 }), fc.array(fc.nat(60)), (parts, maxBytes, cuts) => {
        const text = parts.join('');
        const bytes = Buffer.from(text);
        const offsets = cuts.map((cut) => Math.min(cut, bytes.length));
        const expected = oracle(maxBytes, text);
        expect(through(maxBytes, [bytes])).toEqual(expected);
        expect(through(maxBytes, cutAt(bytes, offsets))).toEqual(expected);
        expect(through(maxBytes, inBytes(bytes))).toEqual(expected);
      }),
      fuzz(500),
    );
  });

  it('after a loss goes on behind the next blank line', () => {
    const told: string[] = [];
    const gate = new EventGate(100, {
      pass: (bytes) => told.push(Buffer.from(bytes).toString()),
      forget: () => told.push('forget'),
      onOverflow: () => told.push('!'),
    });
    gate.feed(Buffer.from('data: a'));
    expect(gate.insideEvent).toBe(true);
    gate.skip();
    expect(gate.insideEvent).toBe(false);
    gate.feed(Buffer.from('\nrest of an event\n\ndata: b\n\n'));
    expect(told).toEqual(['data: a', 'forget', 'data: b\n\n']);
  });
});
