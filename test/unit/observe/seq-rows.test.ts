// Goal: a chunk's row is found by its number on the wire, whatever was lost on the way.
// Method: random losses against a plain map.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeqRows } from '../../../src/observe/seq-rows.ts';
import { fuzz } from '../../support/fuzz.ts';

test('every chunk finds its row, and a lost one has none', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 3 }), fc.boolean()), { maxLength: 100 }), (steps) => {
      const rows = new SeqRows();
      const plain = new Map<number, number>();
      let asked = 0;
      for (const [seq, [lost, askCount, skipped]] of steps.entries()) {
        if (!lost) {
          rows.add(seq, plain.size);
          plain.set(seq, plain.size);
        }
        // A flush may be lost as well.
        if (skipped) asked += 1;
        for (let count = 0; count < askCount && asked <= seq; count += 1) {
          expect([asked, rows.take(asked)]).toEqual([asked, plain.get(asked)]);
          asked += 1;
        }
      }
    }),
    fuzz(100),
  );
});

test('before the first chunk there is no row', () => {
  expect(new SeqRows().take(0)).toBeUndefined();
});
