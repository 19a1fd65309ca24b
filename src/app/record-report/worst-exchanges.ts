// The worst exchanges of a file: half of them by their longest gap, half by their time to first token, as one stream
// may be bad in either way. Bounded; only what stays is thinned and kept.
import { REPORT_CHUNKS_MAX_COUNT } from '../../base/report-limits.ts';
import type { Report } from '../../judge/report.ts';
import type { WorstExchange } from '../../telemetry/report-data.ts';
import { thinRecord } from './thin-record.ts';

interface Ranked {
  readonly lengthNs: number;
  readonly exchange: WorstExchange;
}

export class WorstExchanges {
  readonly #maxCount: number;
  readonly #byGap: Ranked[] = [];
  readonly #byTtft: Ranked[] = [];

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  add(report: Report): void {
    this.#keep(this.#byGap, report.figures.gapsReceived.maxNs, report);
    this.#keep(this.#byTtft, report.figures.ttftNs, report);
  }

  /** In turn of both lists, each exchange once. */
  read(): WorstExchange[] {
    const found = new Map<string, WorstExchange>();
    for (let rank = 0; rank < this.#maxCount; rank += 1) {
      for (const ranked of [this.#byGap[rank], this.#byTtft[rank]]) {
        if (ranked === undefined || found.size >= this.#maxCount) continue;
        found.set(ranked.exchange.report.record.id, ranked.exchange);
      }
    }
    return [...found.values()];
  }

  #keep(list: Ranked[], lengthNs: number | undefined, report: Report): void {
    if (lengthNs === undefined || this.#maxCount === 0) return;
    if (list.length >= this.#maxCount && lengthNs <= (list.at(-1)?.lengthNs ?? 0)) return;
    const at = list.findIndex((ranked) => ranked.lengthNs < lengthNs);
    // The same exchange in both lists is one object, so that it is thinned once.
    const exchange = this.#known(report) ?? thinned(report);
    list.splice(at === -1 ? list.length : at, 0, { lengthNs, exchange });
    if (list.length > this.#maxCount) list.pop();
  }

  #known({ record: { id } }: Report): WorstExchange | undefined {
    const isIt = ({ exchange }: Ranked): boolean => exchange.report.record.id === id;
    return (this.#byGap.find(isIt) ?? this.#byTtft.find(isIt))?.exchange;
  }
}

function thinned(report: Report): WorstExchange {
  const record = thinRecord(report.record, report.figures.stalls, REPORT_CHUNKS_MAX_COUNT);
  return { report: { ...report, record }, isThinned: record !== report.record };
}
