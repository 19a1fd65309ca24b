// How figures read: the one place where a number becomes text, so that the page, the report and the tests that hold
// them against `/api/summary` say the same. Unknown is a dash and never a 0. Pure; knows no view.

/** What stands for a figure that is not known. */
export const UNKNOWN = '–';
/** Between a number and its unit, and between groups of digits: neither may end up on two lines. */
const NARROW = '\u202f';
const NS_PER_MS = 1e6;
const BYTES_PER_KIB = 1024;

/** A length with its unit, from ns: `0.42 ms`, `12.3 ms`, `1 234 ms`. */
export function ms(lengthNs: number | undefined): string {
  return lengthNs === undefined ? UNKNOWN : `${msNumber(lengthNs)}${NARROW}ms`;
}

/** The same for a table whose head names the unit. Three digits or more that mean something. */
export function msNumber(lengthNs: number | undefined): string {
  if (lengthNs === undefined) return UNKNOWN;
  const lengthMs = lengthNs / NS_PER_MS;
  const size = Math.abs(lengthMs);
  // Short is not nothing: 0.00 is kept for what took no time at all.
  if (size > 0 && size < 0.005) return lengthMs > 0 ? '<0.01' : '>-0.01';
  // The limits lie where rounding would bring one digit more: 9.996 is `10.0` and no `10.00`.
  if (size < 9.995) return lengthMs.toFixed(2);
  if (size < 99.95) return lengthMs.toFixed(1);
  return grouped(Math.round(lengthMs));
}

/** A percentile of all demand: what failed never came. */
export function late(lengthNs: number | 'never' | undefined): string {
  return lengthNs === 'never' ? 'never' : ms(lengthNs);
}

/** A length for a sentence or an axis, where a second is easier to read than a thousand ms. */
export function span(lengthMs: number | undefined): string {
  if (lengthMs === undefined) return UNKNOWN;
  if (lengthMs < 1_000) return `${Number(lengthMs.toPrecision(3))}${NARROW}ms`;
  if (lengthMs < 120_000) return `${Number((lengthMs / 1_000).toPrecision(3))}${NARROW}s`;
  if (lengthMs < 7_200_000) return `${Math.round(lengthMs / 60_000)}${NARROW}min`;
  return `${Number((lengthMs / 3_600_000).toPrecision(3))}${NARROW}h`;
}

/** A share. Only all of it is 100 % and only nothing is 0 %: 99.98 % is a failure somewhere. */
export function percent(ratio: number | undefined): string {
  if (ratio === undefined) return UNKNOWN;
  if (ratio === 0 || ratio === 1) return `${ratio * 100}${NARROW}%`;
  const shown = ratio * 100;
  if (ratio > 0 && ratio < 1) return `${Math.min(99.9, Math.max(0.1, shown)).toFixed(1)}${NARROW}%`;
  return `${Math.abs(shown) >= 1_000 ? grouped(Math.round(shown)) : shown.toFixed(1)}${NARROW}%`.replace('-', '−');
}

export function count(value: number | undefined): string {
  return value === undefined ? UNKNOWN : grouped(Math.round(value));
}

/** How many of something, with its name: `1 gap`, `1 234 gaps`. */
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A number as it is, without digits that say nothing: `1.4`, `320`, `0.02`. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return Math.abs(value) >= 100 ? grouped(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export function bytes(value: number | undefined): string {
  if (value === undefined) return UNKNOWN;
  if (value < BYTES_PER_KIB) return `${value}${NARROW}B`;
  const kib = value / BYTES_PER_KIB;
  if (kib < BYTES_PER_KIB) return `${figure(kib)}${NARROW}KiB`;
  const mib = kib / BYTES_PER_KIB;
  return mib < BYTES_PER_KIB ? `${figure(mib)}${NARROW}MiB` : `${figure(mib / BYTES_PER_KIB)}${NARROW}GiB`;
}

/** Time of day where the reader is, to the second. */
export function clock(atEpochMs: number | undefined): string {
  if (atEpochMs === undefined) return UNKNOWN;
  const at = new Date(atEpochMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Day and time of day, for what may be long ago. */
export function moment(atEpochMs: number | undefined): string {
  if (atEpochMs === undefined) return UNKNOWN;
  const at = new Date(atEpochMs);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return `${day} ${clock(atEpochMs)}`;
}

/** A word of a closed set as people write it: `prefill_interference` is `prefill interference`. */
export function word(name: string | undefined): string {
  return name === undefined || name === '' ? UNKNOWN : name.replaceAll('_', ' ');
}

/**
 * A number with its name, as verdicts carry them: named in one word with the unit at the end, such as `stepMs`,
 * `heldRatio`, `blockBytes`, or without one, such as `reads`.
 */
export function numberWords(name: string, value: number): string {
  const words = name
    .replace(/([A-Z]+[a-z]*|\d+)/g, ' $1')
    .toLowerCase()
    .trim();
  const [, subject = words, unit] = /^(.+) (ratio|count|ns|ms|bytes)$/.exec(words) ?? [];
  switch (unit) {
    case 'ratio':
      return `${subject} ${percent(value)}`;
    case 'ns':
      return `${subject} ${ms(value)}`;
    case 'ms':
      return `${subject} ${ms(value * NS_PER_MS)}`;
    case 'bytes':
      return `${subject} ${count(value)}${NARROW}B`;
    default:
      return `${subject} ${figure(value)}`;
  }
}

/** What led to a verdict: its signs and its numbers, each as people write it. */
export function signWords(signs: readonly string[], numbers: Readonly<Record<string, number>>): string[] {
  return [
    ...signs.map((sign) => word(sign)),
    ...Object.entries(numbers).map(([name, value]) => numberWords(name, value)),
  ];
}

function grouped(value: number): string {
  const digits = String(Math.abs(value)).replace(/\B(?=(\d{3})+$)/g, NARROW);
  return value < 0 ? `−${digits}` : digits;
}
