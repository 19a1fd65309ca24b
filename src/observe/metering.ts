// The meters of one running exchange, made once its class is known. What they tell, others count.
import { FirstTokenMeter, type FirstTokenListener } from '../measure/first-token-meter.ts';
import { GapMeter, type GapListener } from '../measure/gap-meter.ts';
import type { ChunkRows } from '../record/chunk-log.ts';
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
  hearPauses: (sinceNs: number) => void,
): Metering {
  return {
    class: spec,
    gaps: new GapMeter({ chunks, stallNs: spec.stallMs * 1e6, listener, hearPauses }),
    firstToken: new FirstTokenMeter(chunks, listener),
  };
}
