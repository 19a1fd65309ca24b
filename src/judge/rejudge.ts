// A record from a file → all figures and verdicts that follow from it, as they were told when it was written. Pure: the
// same record gives the same, bit for bit.
import type { Figures } from '../measure/figures.ts';
import { defined } from '../measure/defined.ts';
import { measureRecord } from '../measure/measure-record.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { judgeStalls } from './causes/judge-stall.ts';
import type { StallVerdict } from './causes/verdict.ts';
import { judgeDelivery } from './delivery/rules.ts';
import type { DeliveryVerdict, HopVerdict } from './delivery/verdict.ts';
import { judgeHop } from './hop/judge-hop.ts';
import { judgeSlo } from './slo/judge-slo.ts';
import type { SloVerdict } from './slo/verdict.ts';

export interface Rejudged {
  readonly figures: Figures;
  readonly delivery: DeliveryVerdict | undefined;
  readonly hop: HopVerdict | undefined;
  readonly slo: SloVerdict | undefined;
  readonly stalls: readonly StallVerdict[];
}

/** A fault in words where the record is not what its type promises, as after an edit by hand. */
export function rejudge(record: StreamRecord): Rejudged | { readonly fault: string } {
  try {
    const figures = measureRecord(record);
    const delivery = judgeDelivery(record);
    const hop = judgeHop(record);
    const slo = judgeSlo(record, figures);
    return { figures, delivery, hop, slo, stalls: judgeStalls(record, defined({ delivery, hop })) };
  } catch (error) {
    return { fault: `its record is damaged (${(error as Error).message})` };
  }
}
