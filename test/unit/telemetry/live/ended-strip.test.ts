// Goal: the strip of an exchange that ended says what its beats had not told, up to its end and no further.
// Method: records with reads at known moments that opened at the beginning of a bin, and counts of chunks.
import { expect, test } from 'vitest';
import { endedStrip } from '../../../../src/telemetry/live/ended-strip.ts';
import { binOf } from '../../../../src/telemetry/live/strip.ts';
import { read, texts } from '../../../support/record-builder.ts';
import { reportOf } from '../reports.ts';

/** Reads at 10, 20, … 200 ms and at 460 ms: four in the first bin, five in each of the next three. */
const REPORT = reportOf({ reads: [...texts(10, 10, 20), read(460, 'text')] });
const FIRST_BIN = binOf(REPORT.record.openedAtEpochMs);
const MANY = 10_000;

test('has all of an exchange that came and went between two beats, and begins with it', () => {
  const strip = endedStrip(REPORT, FIRST_BIN - 600, MANY);
  expect(strip).toMatchObject({ fromBin: FIRST_BIN, received: '4555100001' });
  // Each was handed to the kernel a moment after it was received, which may be in the bin behind.
  expect([...(strip?.flushed ?? '')].reduce((sum, character) => sum + Number(character), 0)).toBe(21);
});

test('has of a longer one what comes from the bin on that may be missing', () => {
  expect(endedStrip(REPORT, FIRST_BIN + 3, MANY)).toMatchObject({ fromBin: FIRST_BIN + 3, received: '5100001' });
});

test('is absent where the exchange was over by then, or nothing came since', () => {
  expect(endedStrip(REPORT, FIRST_BIN + 10, MANY)).toBeUndefined();
  expect(endedStrip(reportOf({ reads: [] }), FIRST_BIN, MANY)).toBeUndefined();
});

test('leaves out the bins that it may not read whole', () => {
  const strip = endedStrip(REPORT, FIRST_BIN, 8);
  // Eight from the end are the last one, one of bin 4, all five of bin 3, and one of bin 2, which is not whole.
  expect(strip).toMatchObject({ fromBin: FIRST_BIN + 3, received: '5100001' });
});
