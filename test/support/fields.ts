// Compares head lines of both ends. Only fields that belong to one connection (RFC 9110 section
// 7.6.1) may differ; all others must keep name, case, order, number and value.
import { fieldName } from './wire-parser.ts';

/** Written out once more beside the relay's own, which is what is tested by it. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'http2-settings',
]);

/** The lines that must arrive as they are; space around a value is no part of it. */
export function endToEnd(lines: readonly string[], alsoDropped: readonly string[] = []): string[] {
  return lines
    .filter((line) => !HOP_BY_HOP.has(fieldName(line)) && !alsoDropped.includes(fieldName(line)))
    .map((line) => `${line.slice(0, line.indexOf(':'))}: ${line.slice(line.indexOf(':') + 1).trim()}`);
}

/** Field lines of a head written out as bytes. */
export function linesOf(bytes: Buffer | string): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  return (text.split('\r\n\r\n')[0] ?? '').split('\r\n').slice(1);
}
