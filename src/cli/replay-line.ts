// One line of a record file → whether its figures follow from its record. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { StallVerdict } from '../judge/causes/verdict.ts';
import type { DeliveryVerdict, HopVerdict } from '../judge/delivery/verdict.ts';
import type { JobReport } from '../judge/job/judge-job.ts';
import { rejudge } from '../judge/rejudge.ts';
import type { SloVerdict } from '../judge/slo/verdict.ts';
import type { Figures } from '../measure/figures.ts';
import { defined } from '../measure/defined.ts';
import { RECORD_SCHEMA, type StreamRecord } from '../record/stream-record.ts';
import { isObject, parseJson } from '../stream/json-value.ts';

export interface Checked {
  /**
   * `unreadable`: not checked and should have been. `cut`: a last line that nobody finished. `unchecked`: a job
   * whose records are not all there.
   */
  readonly state: 'equal' | 'different' | 'unreadable' | 'cut' | 'unchecked';
  readonly id?: string;
  readonly class?: string;
  readonly outcome?: string;
  /** Recomputed; absent when the line could not be read. */
  readonly figures?: Figures;
  /** Recomputed as well; absent where there was no stream of text. */
  readonly delivery?: DeliveryVerdict;
  /** Where the exchange was seen on both sides of a hop. */
  readonly hop?: HopVerdict;
  /** Against what was promised when it was recorded; absent of what was no demand. */
  readonly slo?: SloVerdict;
  /** Who made its stalls; absent without any. */
  readonly stalls?: readonly StallVerdict[];
  /** Of the line of a batch job. */
  readonly job?: JobReport;
  /** Paths of the figures that differ, such as `split.queueNs`. */
  readonly differences?: readonly string[];
  readonly reason?: string;
}

/** Differences named of one record; a changed formula changes many at once. */
const DIFFERENCES_MAX_COUNT = 20;

export function checkLine(text: string, isWhole: boolean): Checked {
  const parsed = parseJson(text);
  if (parsed === undefined) {
    if (!isWhole) return { state: 'cut', reason: 'the file ends inside this line' };
    return { state: 'unreadable', reason: 'this line is not JSON' };
  }
  const { record, figures, ...verdicts } = (parsed ?? {}) as Written;
  if (typeof record !== 'object' || record === null || typeof figures !== 'object' || figures === null) {
    return { state: 'unreadable', reason: 'this line holds no record with figures' };
  }
  if (record.schema !== RECORD_SCHEMA) {
    const reason = `its record has schema ${String(record.schema)}; this rubato reads schema ${RECORD_SCHEMA}`;
    return { state: 'unreadable', reason };
  }
  return compare(record, { figures, ...verdicts });
}

/** What a line holds, as far as it is looked at; lines of earlier versions have no verdicts. */
interface Written {
  readonly record?: StreamRecord;
  readonly figures?: unknown;
  readonly delivery?: unknown;
  readonly hop?: unknown;
  readonly slo?: unknown;
  readonly stalls?: unknown;
}

function compare(record: StreamRecord, written: Written): Checked {
  const again = rejudge(record);
  if ('fault' in again) return { state: 'unreadable', reason: again.fault };
  const { figures, delivery, hop, slo, stalls } = again;
  const differences = [
    ...findDifferences(written.figures, throughJson(figures), ''),
    ...(written.delivery === undefined ? [] : findDifferences(written.delivery, throughJson(delivery), 'delivery')),
    ...(written.hop === undefined ? [] : findDifferences(written.hop, throughJson(hop), 'hop')),
    ...(written.slo === undefined ? [] : findDifferences(written.slo, throughJson(slo), 'slo')),
    ...(written.stalls === undefined ? [] : findDifferences(written.stalls, throughJson(stalls), 'stalls')),
  ];
  const about = {
    id: record.id,
    class: record.class.name,
    outcome: record.end.outcome,
    figures,
    ...defined({ delivery, hop, slo, stalls: stalls.length === 0 ? undefined : stalls }),
  };
  if (differences.length === 0) return { state: 'equal', ...about };
  const named = differences.slice(0, DIFFERENCES_MAX_COUNT);
  return { state: 'different', ...about, differences: named, reason: `differs in ${named.join(', ')}` };
}

/** What is written went through JSON, so the fresh must: it drops what is undefined. */
export function throughJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Paths of the deepest parts that are not the same. */
export function findDifferences(left: unknown, right: unknown, path: string): string[] {
  if (isDeepStrictEqual(left, right)) return [];
  if (!isObject(left) || !isObject(right)) return [path === '' ? 'figures' : path];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => findDifferences(left[name], right[name], path === '' ? name : `${path}.${name}`));
}
