// All sinks as one: tells each of them in order. A fault in one ends nothing but that telling. Knows no exchange.
import type { ExchangeLabels, ExemplarRef, Sink } from '../judge/report.ts';
import type { Gap } from '../measure/gap-meter.ts';
import type { GapPoint } from '../measure/gap.ts';

export class SinkList {
  readonly #sinks: readonly Sink[];
  /** Those of them that want gaps, of which each chunk makes two. */
  readonly #gapSinks: readonly Sink[];
  readonly #onFault: (where: string, fault: unknown) => void;

  constructor(sinks: readonly Sink[], onFault: (where: string, fault: unknown) => void) {
    this.#sinks = sinks;
    this.#gapSinks = sinks.filter(({ onGap }) => onGap !== undefined);
    this.#onFault = onFault;
  }

  tell(call: (sink: Sink) => void): void {
    for (const sink of this.#sinks) {
      try {
        call(sink);
      } catch (fault) {
        this.#onFault(`sink ${sink.name}`, fault);
      }
    }
  }

  /** As {@link tell}, without a function made for each gap. */
  // oxlint-disable-next-line max-params -- the contract of sinks, called a hundred times a second a stream
  tellGap(labels: ExchangeLabels, point: GapPoint, { gapNs, stalled }: Gap, exemplar: ExemplarRef | undefined): void {
    for (const sink of this.#gapSinks) {
      try {
        sink.onGap?.(labels, point, gapNs, stalled, exemplar);
      } catch (fault) {
        this.#onFault(`sink ${sink.name}`, fault);
      }
    }
  }
}
