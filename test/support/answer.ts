// Short words for what tests ask of a record, so that a case reads like its expected result.
import { expect } from 'vitest';
import { EVENT_KINDS, type EventKind } from '../../src/record/kinds.ts';
import type { RecordEntry } from './sidecar.ts';

export type Counts = Partial<Record<EventKind, number>>;

/** Events by kind as the record has them, kinds that did not occur left out. */
export function eventCounts(entry: RecordEntry): Counts {
  return Object.fromEntries(Object.entries(entry.record.answer.eventCounts).filter(([, count]) => count > 0));
}

/** Kinds of the events in order of arrival. */
export function eventKinds(entry: RecordEntry): (EventKind | undefined)[] {
  return entry.record.events.kind.map((kind) => EVENT_KINDS[kind]);
}

/** Events that carried a generated fragment. */
export function generatedCount(entry: RecordEntry): number {
  return entry.record.events.generated.filter((bits) => bits !== 0).length;
}

/** Gaps at the received point, tainted ones included: a busy machine taints, it does not lose. */
export function gapCount(entry: RecordEntry): number {
  const { gapsReceived, taintedCounts } = entry.figures;
  return gapsReceived.count + Object.values(taintedCounts).reduce((sum, count) => sum + count, 0);
}

/** Every generated event begins the stream, ends a gap or is coalesced: nothing lost, nothing made up. */
export function expectGapsToBalance(entry: RecordEntry): void {
  expect(1 + gapCount(entry) + entry.figures.coalescedCount).toBe(generatedCount(entry));
}

/** The parts of TTFT sum to it exactly, and none is negative. */
export function expectSplitToSum(entry: RecordEntry): void {
  const { split, ttftNs } = entry.figures;
  if (split === undefined) throw new Error('there is no split');
  const { queueNs = 0, prefillNs = 0, networkNs, rubatoNs, otherNs = 0, engineNs = 0 } = split;
  const parts = [queueNs, prefillNs, networkNs, rubatoNs, otherNs, engineNs];
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(ttftNs);
  for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
}
