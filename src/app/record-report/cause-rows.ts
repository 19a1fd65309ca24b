// Stalls of all exchanges by class and cause: how many, how long together, and the longest.
import { REPORT_CAUSE_ROWS_MAX_COUNT } from '../../base/report-limits.ts';
import { UNJUDGED, type StallVerdict } from '../../judge/causes/verdict.ts';
import type { Report } from '../../judge/report.ts';
import type { CauseRow } from '../../telemetry/report-data.ts';

export class CauseRows {
  readonly #rows = new Map<string, CauseRow>();

  add({ record, labels, figures, stalls = [] }: Report): void {
    for (const verdict of stalls) this.#count(labels.class, verdict, record.id);
    // A record keeps what went on around so many of its stalls; of the others nothing is known.
    for (let rest = stalls.length; rest < figures.stallCount; rest += 1) {
      this.#count(labels.class, UNJUDGED, record.id);
    }
  }

  /** By class, then by how many. */
  read(): CauseRow[] {
    return [...this.#rows.values()].toSorted((a, b) =>
      a.class === b.class ? b.count - a.count : a.class < b.class ? -1 : 1,
    );
  }

  #count(name: string, { cause, gapNs }: StallVerdict, id: string): void {
    const key = `${cause} ${name}`;
    const row = this.#rows.get(key) ?? { class: name, cause, count: 0, sumNs: 0 };
    if (row.count === 0 && this.#rows.size >= REPORT_CAUSE_ROWS_MAX_COUNT) return;
    const isLongest = gapNs !== undefined && gapNs > (row.maxNs ?? 0);
    this.#rows.set(key, {
      ...row,
      count: row.count + 1,
      sumNs: row.sumNs + (gapNs ?? 0),
      ...(isLongest && { maxNs: gapNs, worstId: id }),
    });
  }
}
