// Records of demand with objectives, in few words, and what they come to.
import { judgeSlo } from '../../../../src/judge/slo/judge-slo.ts';
import type { SloVerdict } from '../../../../src/judge/slo/verdict.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';
import type { Objective } from '../../../../src/record/objective.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, ms, read, type ReadSpec, type RecordSpec } from '../../../support/record-builder.ts';

/** An objective by its kind; what does not matter has the plainest value. */
export function objective(kind: Objective['kind'], limitMs?: number, more: Partial<Objective> = {}): Objective {
  return { name: kind, kind, target: 0.95, ...(limitMs !== undefined && { limitNs: ms(limitMs) }), ...more };
}

export function demandRecord(
  spec: RecordSpec,
  objectives: readonly Objective[],
  changes: Partial<StreamRecord> = {},
): StreamRecord {
  const record = buildRecord({ ...spec, request: { generation: true, ...spec.request } });
  return { ...record, class: { ...record.class, ...(objectives.length > 0 && { objectives }) }, ...changes };
}

export function sloOf(
  spec: RecordSpec,
  objectives: readonly Objective[],
  changes: Partial<StreamRecord> = {},
): SloVerdict | undefined {
  const record = demandRecord(spec, objectives, changes);
  return judgeSlo(record, measureRecord(record));
}

/** What one objective came to. */
export function metOf(spec: RecordSpec, one: Objective, changes: Partial<StreamRecord> = {}): string | undefined {
  return sloOf(spec, [one], changes)?.objectives[0]?.met;
}

/** Written and accepted by the kernel at once, so that moments are round. */
const AT_ONCE = { writeAfterNs: 0, flushAfterNs: 0 };

/** A whole stream: tokens with these gaps between them, from this moment on. */
export function streamOf(firstMs: number, gapsMs: readonly number[]): ReadSpec[] {
  let atMs = firstMs;
  const tokens = [read(atMs, 'text', AT_ONCE)];
  for (const gapMs of gapsMs) tokens.push(read((atMs += gapMs), 'text', AT_ONCE));
  return [...tokens, read(atMs, 'finish done', AT_ONCE)];
}

/** A stream that broke off after these tokens. */
export function brokenOf(firstMs: number, gapsMs: readonly number[]): ReadSpec[] {
  return streamOf(firstMs, gapsMs).slice(0, -1);
}
