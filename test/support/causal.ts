// Bounds on what the sidecar may say about time that hold on any machine, however busy: it cannot
// have received a byte before the engine wrote it, nor handed it over after the client read it.
// On a quiet machine these bounds are well below a millisecond apart.
import { expect } from 'vitest';
import { gapCount } from './answer.ts';
import type { Run } from './bench.ts';
import { readAtNs } from './exact.ts';
import type { RecordEntry } from './sidecar.ts';
import type { BodyMark } from './wire-parser.ts';

const NS_PER_MS = 1e6;
/** Two processes stamp around the same system calls; a callback may also run late after its call. */
const SLACK_NS = 20 * NS_PER_MS;

/** The engine's n-th write that carried body bytes, and the moment the client had all of it. */
function moments(run: Run, write: number): { readonly writtenAtNs: number; readonly readAtNs: number } {
  const mark: BodyMark | undefined = run.exchange.answer?.marks[write];
  if (mark === undefined) throw new Error(`the engine made no body write ${write}`);
  return { writtenAtNs: mark.atNs, readAtNs: readAtNs(run.response.marks, mark.bodyBytes) };
}

/** A length that began when the sidecar had the request and ended with body write `write`. */
export function expectUntilWrite(run: Run, lengthNs: number | undefined, write: number): void {
  const { writtenAtNs, readAtNs: gotAtNs } = moments(run, write);
  expect(lengthNs).toBeDefined();
  expect(lengthNs).toBeGreaterThanOrEqual(writtenAtNs - run.exchange.headAtNs - NS_PER_MS);
  expect(lengthNs).toBeLessThanOrEqual(gotAtNs - run.client.sentAtNs + SLACK_NS);
}

/** A length from the arrival of body write `from` to that of body write `to`. */
export function expectBetweenWrites(run: Run, lengthNs: number | undefined, from: number, to: number): void {
  const [first, second] = [moments(run, from), moments(run, to)];
  expect(lengthNs).toBeDefined();
  expect(lengthNs).toBeGreaterThanOrEqual(second.writtenAtNs - first.readAtNs - NS_PER_MS);
  expect(lengthNs).toBeLessThanOrEqual(second.readAtNs - first.writtenAtNs + SLACK_NS);
}

/** The largest gap lies between these writes. Not asked for when a busy machine tainted a gap. */
export function expectLargestGap(run: Run & RecordEntry, from: number, to: number): void {
  const { gapsReceived } = run.figures;
  if (gapCount(run) > gapsReceived.count) return;
  expectBetweenWrites(run, gapsReceived.maxNs, from, to);
}
