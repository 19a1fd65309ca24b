// Ids of exchanges are unique within one process, and a file may be of several: a sidecar that was restarted, or files
// of different ones. Tells where another process begins, by what one process cannot do, and makes ids unique.
import type { StreamRecord } from '../../record/stream-record.ts';

/** Wall time is set right by so much now and then; a process that starts takes longer before its first exchange. */
const SLACK_MS = 200;

interface Latest {
  readonly number: number;
  readonly openedAtEpochMs: number;
}

export class ProcessRuns {
  /** Of each relay's life, the exchange with the highest number so far. */
  readonly #latest = new Map<string, Latest>();
  /** Processes so far. */
  runCount = 1;

  /** The record, with the number of its process behind its id where that is not the first. */
  take(record: StreamRecord): StreamRecord {
    const [, place = '', digits = ''] = /^(.*)-([0-9a-z]+)$/.exec(record.id) ?? [];
    const number = Number.parseInt(digits, 36);
    const { openedAtEpochMs } = record;
    const latest = this.#latest.get(place);
    // In one process exchanges are numbered in the order in which they were opened.
    const laterMs = latest === undefined ? 0 : openedAtEpochMs - latest.openedAtEpochMs;
    const isOther = latest !== undefined && (number > latest.number ? laterMs < -SLACK_MS : laterMs > SLACK_MS);
    const isSame = latest !== undefined && number === latest.number && laterMs !== 0;
    if (isOther || isSame) {
      this.runCount += 1;
      this.#latest.clear();
    }
    const known = this.#latest.get(place);
    if (known === undefined || number > known.number) this.#latest.set(place, { number, openedAtEpochMs });
    return this.runCount === 1 ? record : { ...record, id: `${record.id}~${this.runCount}` };
  }
}
