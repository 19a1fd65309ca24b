// The meters of one running exchange, made once its class is known. What they tell, others count.
import { PAUSES_EARLY_MAX_COUNT } from '../base/limits.ts';
import { FirstTokenMeter, type FirstTokenListener } from '../measure/first-token-meter.ts';
import { GapMeter, type GapListener } from '../measure/gap-meter.ts';
import type { ChunkRows } from '../record/chunk-log.ts';
import type { Pause } from '../record/stream-record.ts';
import type { ClassSpec } from '../record/traffic-class.ts';

/** What measures of a running exchange need. */
export interface Metering {
  readonly class: ClassSpec;
  readonly gaps: GapMeter;
  readonly firstToken: FirstTokenMeter;
}

export function createMetering(
  spec: ClassSpec,
  chunks: ChunkRows,
  listener: GapListener & FirstTokenListener,
): Metering {
  return {
    class: spec,
    gaps: new GapMeter({ chunks, stallNs: spec.stallMs * 1e6, listener }),
    firstToken: new FirstTokenMeter(chunks, listener),
  };
}

/** Pauses that came before there were meters: the latest may have spoiled the stamp of the first chunk. */
export class EarlyPauses {
  readonly #pauses: Pause[] = [];

  add(pause: Pause): void {
    this.#pauses.push(pause);
    if (this.#pauses.length > PAUSES_EARLY_MAX_COUNT) this.#pauses.shift();
  }

  handTo(gaps: GapMeter): void {
    for (const pause of this.#pauses.splice(0)) gaps.onPause(pause);
  }
}
