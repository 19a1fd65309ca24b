// The moment at which a load balancer or the client itself says it began the request, by its own clock:
// `x-request-start`, and `x-queue-start` of older agents. Never set off against our clock in a figure.
import { fieldValue } from '../base/fields.ts';

const FIELDS = ['x-request-start', 'x-queue-start'];

/** Digits with or without `t=`, as written by Heroku (ms), nginx `$msec` (s) and New Relic's agents (µs, ms or s). */
const STAMP = /^(?:t=)?(\d{9,19}(?:\.\d{1,9})?)$/;

/** 2001 and 2100 in ms since 1970: a stamp outside of them is in another unit, or is none. */
const EARLIEST_MS = 978_307_200_000;
const LATEST_MS = 4_102_444_800_000;

/** What one unit of a stamp is in ms: s, ms, µs, ns. Their ranges of plausible moments do not overlap. */
const UNITS_MS = [1e3, 1, 1e-3, 1e-6];

/** Ms since 1970; undefined when no field says it in a form that can only be read one way. */
export function requestStartEpochMs(fields: readonly string[]): number | undefined {
  for (const name of FIELDS) {
    const digits = STAMP.exec(fieldValue(fields, name)?.trim() ?? '')?.[1];
    if (digits === undefined) continue;
    const stamp = Number(digits);
    const unitMs = UNITS_MS.find((unit) => stamp * unit >= EARLIEST_MS && stamp * unit <= LATEST_MS);
    if (unitMs !== undefined) return Math.round(stamp * unitMs * 1e3) / 1e3;
  }
  return undefined;
}
